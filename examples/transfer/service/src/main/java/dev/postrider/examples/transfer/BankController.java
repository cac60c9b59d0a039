package dev.postrider.examples.transfer;

import jakarta.validation.Valid;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
class BankController {
    private final Bank bank;

    BankController(Bank bank) {
        this.bank = bank;
    }

    @PostMapping("/transfers")
    @ResponseStatus(HttpStatus.CREATED)
    Transfer transfer(@Valid @RequestBody Transfer.Wanted wanted) {
        return bank.transfer(wanted);
    }

    @PostMapping("/accounts")
    @ResponseStatus(HttpStatus.CREATED)
    Account open(@Valid @RequestBody Account.Opening opening) {
        return bank.open(opening);
    }

    @GetMapping("/accounts/{number}")
    Account account(@PathVariable("number") long number) {
        return bank.account(number);
    }
}
