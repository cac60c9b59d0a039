import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;

/** Runs the SQL of a file, where there is no client of the database. */
class Sql {
    public static void main(String[] args) throws Exception {
        try (Connection connection = DriverManager.getConnection(
                        System.getenv("POSTRIDER_DB_URL"),
                        System.getenv("POSTRIDER_DB_USER"),
                        System.getenv("POSTRIDER_DB_PASSWORD"));
                Statement statement = connection.createStatement()) {
            statement.execute(Files.readString(Path.of(args[0])));
        }
    }
}
