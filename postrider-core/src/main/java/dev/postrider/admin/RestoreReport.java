package dev.postrider.admin;

import java.util.List;

/**
 * What happened to the lines of a dead letter file.
 *
 * @param back events that were dead and will be sent again under their old ids
 * @param inserted events that were written again under new ids
 * @param handled events that were not touched, because somebody has dealt with them
 * @param problems lines that restored nothing and should be checked
 */
public record RestoreReport(long back, long inserted, long handled, List<Problem> problems) {
    public RestoreReport {
        problems = List.copyOf(problems);
    }

    /** Events that will be sent again. */
    public long restored() {
        return back + inserted;
    }

    /**
     * A line and what is wrong with it.
     *
     * @param line its number, from 1
     * @param what the problem, never the content of the line
     */
    public record Problem(long line, String what) {}
}
