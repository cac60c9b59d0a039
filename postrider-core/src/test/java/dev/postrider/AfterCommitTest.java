package dev.postrider;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.postrider.testing.InMemoryOutbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AfterCommitTest {
    private final JdbcTransactions transactions = JdbcTransactions.of(new InMemoryOutbox().dataSource());
    private final List<String> done = new ArrayList<>();

    @Test
    void errorOfAnActionNeitherFailsTheTransactionNorSkipsLaterActions() throws Exception {
        String result = transactions.call(connection -> {
            transactions.afterCommit(() -> {
                throw new NoClassDefFoundError("made by a test");
            });
            transactions.afterCommit(() -> done.add("later"));
            return "committed";
        });

        assertThat(result).isEqualTo("committed");
        assertThat(done).containsExactly("later");
    }

    @Test
    void errorOfTheVirtualMachineIsThrownWhenTheOthersHaveRun() {
        OutOfMemoryError error = new OutOfMemoryError("made by a test");

        assertThatThrownBy(() -> transactions.run(connection -> {
                    transactions.afterCommit(() -> {
                        throw error;
                    });
                    transactions.afterCommit(() -> done.add("later"));
                }))
                .isSameAs(error);
        assertThat(done).containsExactly("later");
    }
}
