package dev.postrider.examples.transfer;

import dev.postrider.Outbox;
import java.math.BigDecimal;
import java.sql.Timestamp;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** The accounts and what moves between them. Of a transfer, the debit, the credit and the event are committed, or nothing is. */
@Service
public class Bank {
    private final JdbcClient jdbc;
    private final Outbox outbox;

    public Bank(JdbcClient jdbc, Outbox outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    public Transfer transfer(Transfer.Wanted wanted) {
        if (wanted.from() == wanted.to()) {
            throw RefusedException.sameAccount(wanted.from());
        }
        // Locked in one order, so that transfers between the same accounts do not wait for each other in a circle.
        lock(Math.min(wanted.from(), wanted.to()));
        lock(Math.max(wanted.from(), wanted.to()));
        if (account(wanted.from()).balance().compareTo(wanted.amount()) < 0) {
            throw RefusedException.notEnough(wanted.from());
        }
        Transfer transfer = Transfer.now(wanted);
        add(transfer.from(), transfer.amount().negate());
        add(transfer.to(), transfer.amount());
        jdbc.sql("insert into transfer (id, from_account, to_account, amount, at) values (?, ?, ?, ?, ?)")
                .params(transfer.id(), transfer.from(), transfer.to(), transfer.amount(), Timestamp.from(transfer.at()))
                .update();
        outbox.write(TransferCompleted.of(transfer));
        return transfer;
    }

    @Transactional
    public Account open(Account.Opening opening) {
        return jdbc.sql("insert into account (owner, balance) values (?, ?) returning number, owner, balance")
                .params(opening.owner(), opening.balance())
                .query(Account.class)
                .single();
    }

    public Account account(long number) {
        return jdbc.sql("select number, owner, balance from account where number = ?")
                .param(number)
                .query(Account.class)
                .optional()
                .orElseThrow(() -> RefusedException.noSuchAccount(number));
    }

    private void lock(long number) {
        jdbc.sql("select number from account where number = ? for update")
                .param(number)
                .query(Long.class)
                .optional()
                .orElseThrow(() -> RefusedException.noSuchAccount(number));
    }

    private void add(long number, BigDecimal amount) {
        jdbc.sql("update account set balance = balance + ? where number = ?")
                .params(amount, number)
                .update();
    }
}
