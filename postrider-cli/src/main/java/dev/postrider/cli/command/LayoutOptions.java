package dev.postrider.cli.command;

import dev.postrider.DatabaseFamily;
import dev.postrider.Delivery;
import dev.postrider.OutboxLayout;
import dev.postrider.OutboxMode;
import dev.postrider.PostriderException;
import dev.postrider.cli.settings.UsageException;
import dev.postrider.settings.Format;
import dev.postrider.settings.Formats;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What is decided when an outbox is created. Options stay text until they are asked for, as all others do. */
public final class LayoutOptions {
    private static final String MODE = "--mode";
    private static final String SHARDS = "--shards";
    private static final String DELIVERY = "--delivery";

    private static final Format<OutboxMode> MODES = Formats.oneOf(OutboxMode.class);
    private static final Format<Integer> NUMBERS = Formats.wholeNumber(1, OutboxLayout.MAX_SHARDS);
    private static final Format<Delivery> DELIVERIES = Formats.oneOf(Delivery.class);

    @Option(
            names = MODE,
            paramLabel = "<log|claim>",
            description = "How relays read a new outbox: as a log with a cursor for each shard, or by claiming rows."
                    + " Default: log; on MariaDB and MySQL, where there is nothing else, claim.")
    private @Nullable String mode;

    @Option(
            names = SHARDS,
            paramLabel = "<number>",
            description = "Of a new log: parts that relays can read at the same time, 1 to 256; 1 keeps a single order"
                    + " of all events. Default: 4.")
    private @Nullable String shards;

    @Option(
            names = DELIVERY,
            paramLabel = "<at-least-once|exactly-once>",
            description = "Of a new log: whether an event may arrive more than once after a crash. Default:"
                    + " at-least-once.")
    private @Nullable String delivery;

    /** Of a new outbox. */
    public OutboxLayout layout(DatabaseFamily family) {
        OutboxLayout standard = family.standardLayout();
        OutboxMode wanted = mode == null ? standard.mode() : MODES.parse(mode, MODE);
        int parts = shards == null ? standard.shards() : NUMBERS.parse(shards, SHARDS);
        Delivery promise = delivery == null ? standard.delivery() : DELIVERIES.parse(delivery, DELIVERY);
        if (wanted == OutboxMode.LOG) {
            return requireKnown(family, OutboxLayout.log(parts).delivering(promise));
        }
        if (shards != null) {
            throw new UsageException(
                    SHARDS + " is for log mode; in claim mode relays share the events without shards.");
        }
        if (promise == Delivery.EXACTLY_ONCE) {
            throw new UsageException(
                    DELIVERY + " exactly-once needs log mode; in claim mode delivery is at least once.");
        }
        return OutboxLayout.claim();
    }

    private static OutboxLayout requireKnown(DatabaseFamily family, OutboxLayout layout) {
        try {
            family.require(layout);
            return layout;
        } catch (PostriderException e) {
            throw new UsageException(MODE + " log needs PostgreSQL; on MariaDB and MySQL there is claim mode.");
        }
    }

    /** The options that were given and that an outbox is not like. */
    public List<String> unlike(DatabaseFamily family, OutboxLayout outbox) {
        OutboxLayout wanted = layout(family);
        List<String> unlike = new ArrayList<>();
        if (mode != null && wanted.mode() != outbox.mode()) {
            unlike.add(MODE + " " + mode);
        }
        if (shards != null && (outbox.mode() == OutboxMode.CLAIM || wanted.shards() != outbox.shards())) {
            unlike.add(SHARDS + " " + shards);
        }
        if (delivery != null && wanted.delivery() != outbox.delivery()) {
            unlike.add(DELIVERY + " " + delivery);
        }
        return unlike;
    }

    /** What every command says of a layout in JSON. */
    public static Map<String, Object> json(OutboxLayout layout) {
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("mode", layout.mode().label());
        object.put("shards", layout.shards());
        object.put("delivery", layout.delivery().label());
        return object;
    }
}
