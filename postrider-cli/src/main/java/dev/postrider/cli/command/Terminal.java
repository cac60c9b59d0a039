package dev.postrider.cli.command;

import java.io.Console;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;

/** Somebody to ask, if there is somebody. */
public interface Terminal {

    /** Whether both sides are there: input and output are no file and no pipe. */
    boolean isThere();

    /** What was answered; empty if nothing was. */
    String ask(String question);

    /** Whether somebody sees the output as it is printed. */
    default boolean showsOutput() {
        return isThere();
    }

    /** Whether somebody sees errors and progress as they are printed. */
    default boolean showsErrors() {
        return isThere();
    }

    /** Nobody is there. */
    static Terminal none() {
        return new Terminal() {
            @Override
            public boolean isThere() {
                return false;
            }

            @Override
            public String ask(String question) {
                throw new IllegalStateException("There is no terminal");
            }
        };
    }

    /** The one this process runs in. Questions go where errors go, so that output holds results only. */
    static Terminal ofProcess(PrintStream err) {
        return new Terminal() {
            @Override
            public boolean isThere() {
                Console console = System.console();
                return console != null && isTerminal(console);
            }

            @Override
            public String ask(String question) {
                err.print(question);
                err.flush();
                String answer = System.console().readLine();
                return answer == null ? "" : answer;
            }

            @Override
            public boolean showsOutput() {
                return knows("1").orElseGet(this::isThere);
            }

            @Override
            public boolean showsErrors() {
                return knows("2").orElseGet(this::isThere);
            }
        };
    }

    /** Java does not tell one from the other; the launcher can, and gives the descriptors that are terminals. */
    private static Optional<Boolean> knows(String descriptor) {
        return Optional.ofNullable(System.getProperty("postrider.terminals"))
                .map(descriptors -> descriptors.contains(descriptor));
    }

    /** Some newer Java versions give out a console even where there is none, but can tell. */
    private static boolean isTerminal(Console console) {
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console);
        } catch (NoSuchMethodException e) {
            return true;
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }
}
