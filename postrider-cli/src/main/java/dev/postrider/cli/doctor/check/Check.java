package dev.postrider.cli.doctor.check;

import java.sql.SQLException;
import java.util.List;

/** One thing to look at. Changes nothing, and need not catch anything: a check that fails is a finding as well. */
@FunctionalInterface
public interface Check {

    /**
     * @return what there is to say; at least that it is well, unless there was nothing to look at
     */
    List<Finding> examine() throws SQLException, InterruptedException;
}
