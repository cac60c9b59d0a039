package dev.postrider.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLDataException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose fault an error is. */
class SqlErrorsTest {
    @ParameterizedTest
    @CsvSource({
        "21000, 0, OF_ROWS",
        "22008, 0, OF_ROWS",
        "23514, 0, OF_ROWS",
        "54000, 0, OF_ROWS",
        "XX001, 0, OF_ROWS",
        "P0001, 0, OF_ROWS",
        "45000, 1644, OF_ROWS",
        "HY000, 1366, OF_ROWS",
        "22007, 1292, OF_ROWS",
        "22001, 1406, OF_ROWS",
        "23000, 4025, OF_ROWS",
        "HY000, 3819, OF_ROWS",
        "ABCDE, 0, OF_ROWS",
        "08006, 0, OF_THE_SERVER",
        "25006, 0, OF_THE_SERVER",
        "40001, 1213, OF_THE_SERVER",
        "HY000, 1205, OF_THE_SERVER",
        "53100, 0, OF_THE_SERVER",
        "55P03, 0, OF_THE_SERVER",
        "57P01, 0, OF_THE_SERVER",
        "58030, 0, OF_THE_SERVER",
        "HY000, 1114, OF_THE_SERVER",
        "HY000, 1290, OF_THE_SERVER",
        ", 0, OF_THE_SERVER",
        "42P01, 0, OF_THE_STATEMENT",
        "42501, 0, OF_THE_STATEMENT"
    })
    void faultIsFoundByStateAndNumber(String state, int number, SqlErrors.Fault fault) {
        assertThat(SqlErrors.faultOf(new SQLException("no", state, number))).isEqualTo(fault);
    }

    @Test
    void valueThatADriverCannotReadIsTheRowsFault() {
        assertThat(SqlErrors.isRowsFault(new SQLDataException("no date"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "42P01, 0, true",
        "P0001, 0, true",
        "53100, 0, true",
        "25006, 0, true",
        "HY000, 1114, true",
        "HY000, 1290, true",
        "HY000, 1836, true",
        "08006, 0, false",
        "57P01, 0, false",
        "40001, 1213, false",
        "HY000, 1205, false",
        "53300, 0, false"
    })
    void tableRefusesIfTheDatabaseAnswers(String state, int number, boolean refusal) {
        assertThat(SqlErrors.isRefusal(new SQLException("no", state, number))).isEqualTo(refusal);
    }

    @ParameterizedTest
    @CsvSource({
        "42P01, 0, true",
        "P0001, 0, true",
        "40P01, 0, true",
        "40001, 1213, true",
        "HY000, 1205, true",
        "HY000, 1412, true",
        "08006, 0, false",
        "57P01, 0, false",
        "25006, 0, false",
        "26000, 0, false",
        ", 0, false"
    })
    void connectionIsKeptIfTheServerAnsweredAndIsWell(String state, int number, boolean answer) {
        assertThat(SqlErrors.isAnswer(new SQLException("no", state, number))).isEqualTo(answer);
    }
}
