package dev.postrider.admin;

import java.util.List;

/**
 * Some of the dead letters that match.
 *
 * @param total how many match, as far as they were counted
 * @param letters the first of them
 */
public record DeadLetterPage(long total, List<DeadLetter> letters) {
    public DeadLetterPage {
        letters = List.copyOf(letters);
    }
}
