package dev.postrider.cli.debezium;

import dev.postrider.OutboxTable;
import dev.postrider.PostriderException;

/**
 * What a connector and its things are called.
 *
 * @param connector also what Debezium calls the server
 * @param undeliverable the topic of events that cannot be sent
 */
record ConnectorNames(String connector, String slot, String publication, String undeliverable) {
    ConnectorNames {
        require("--slot", slot);
        require("--publication", publication);
    }

    static ConnectorNames standard(OutboxTable table) {
        String name = "postrider_" + table.name();
        String connector = name.replace('_', '-');
        return new ConnectorNames(connector, name, name, undeliverableOf(connector));
    }

    static String undeliverableOf(String connector) {
        return connector + "-undeliverable";
    }

    private static void require(String option, String name) {
        if (!name.matches("[a-z_][a-z0-9_]{0,62}")) {
            throw new PostriderException(
                    option + " is [" + name
                            + "]; it must be lower-case letters, digits and underscores, at most 63 and not beginning with a digit.");
        }
    }
}
