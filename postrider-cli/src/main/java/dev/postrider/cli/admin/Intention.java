package dev.postrider.cli.admin;

import dev.postrider.OutboxAdmin;
import dev.postrider.admin.DeadLetterPage;
import dev.postrider.admin.DeadLetterSelection;
import dev.postrider.cli.command.CommandEnvironment;
import dev.postrider.cli.command.CommonOptions;
import dev.postrider.cli.command.Confirmation;
import dev.postrider.cli.command.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What is about to be done to dead letters: shown, asked for, and then done or not. */
record Intention(
        CommandEnvironment environment,
        CommonOptions common,
        Confirmation confirmation,
        DeadLetterSelection selection) {
    /** So many are shown of those that match. */
    private static final int FIRST_FEW = 10;

    DeadLetterPage preview(OutboxAdmin admin) {
        return admin.list(selection, FIRST_FEW);
    }

    /**
     * @param done completes "12 dead letters would be …"
     * @param question with a place for how many
     * @return whether to go ahead; if not, everything has been said
     */
    boolean isOn(DeadLetterPage page, String done, String question) {
        String number = Words.count(page.total(), "dead letter");
        if (confirmation.dryRun()) {
            tell(page, number + " would be " + done + "; nothing was changed.");
            return false;
        }
        if (page.total() == 0) {
            tell(page, "No dead letter is like that; nothing was changed.");
            return false;
        }
        if (!confirmation.isGiven(environment, question.formatted(number))) {
            tell(new DeadLetterPage(page.total(), List.of()), "Nothing was changed.");
            return false;
        }
        return true;
    }

    private void tell(DeadLetterPage page, String sentence) {
        if (common.json()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("selector", selection.inWords());
            object.put("changed", false);
            object.put("matched", page.total());
            object.put(
                    "first", page.letters().stream().map(DeadLetterReport::json).toList());
            environment.printJson(object);
            return;
        }
        if (!page.letters().isEmpty()) {
            environment.out().println(DeadLetterReport.table(page, environment.colours()));
        }
        environment.out().println(sentence);
    }
}
