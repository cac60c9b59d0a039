package dev.postrider.examples.transfer;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.MethodArgumentNotValidException;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.context.request.WebRequest;
import org.springframework.web.servlet.mvc.method.annotation.ResponseEntityExceptionHandler;

/** Errors as problem details (RFC 9457). */
@RestControllerAdvice
class Problems extends ResponseEntityExceptionHandler {

    @ExceptionHandler
    ProblemDetail refused(RefusedException e) {
        return ProblemDetail.forStatusAndDetail(e.status(), String.valueOf(e.getMessage()));
    }

    /** Says which fields are wrong. */
    @Override
    protected @Nullable ResponseEntity<Object> handleMethodArgumentNotValid(
            MethodArgumentNotValidException e, HttpHeaders headers, HttpStatusCode status, WebRequest request) {
        Map<String, String> fields = new TreeMap<>();
        e.getBindingResult()
                .getFieldErrors()
                .forEach(error -> fields.put(error.getField(), String.valueOf(error.getDefaultMessage())));
        e.getBody().setDetail("The request is not valid.");
        e.getBody().setProperty("fields", fields);
        return handleExceptionInternal(e, e.getBody(), headers, status, request);
    }
}
