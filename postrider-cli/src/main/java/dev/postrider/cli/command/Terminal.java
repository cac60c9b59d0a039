package dev.postrider.cli.command;

import java.io.Console;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;

/** Somebody to ask, if there is somebody. */
public interface Terminal {

    /** Whether both sides are there: input and output are no file and no pipe. */
    boolean isThere();

    /** What was answered; empty if nothing was. */
    String ask(String question);

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
        };
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
