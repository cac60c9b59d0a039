package dev.postrider.admin;

import java.util.List;

/**
 * What became of the lines of a dead letter file.
 *
 * @param back events that were dead and will be sent again under their old ids
 * @param inserted events that were written again under new ids
 * @param handled events that were left alone, because somebody has dealt with them
 * @param problems lines that brought nothing back and should be looked at
 */
public record RestoreReport(long back, long inserted, long handled, List<Problem> problems) {
    public RestoreReport {
        problems = List.copyOf(problems);
    }

    /** Events that are on their way again. */
    public long restored() {
        return back + inserted;
    }

    /**
     * A line and what is wrong with it.
     *
     * @param line its number, from 1
     * @param what never what is written in it
     */
    public record Problem(long line, String what) {}
}
