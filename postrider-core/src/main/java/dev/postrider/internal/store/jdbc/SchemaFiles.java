package dev.postrider.internal.store.jdbc;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/**
 * The scripts that make some tables, on the class path.
 *
 * @param location where they are
 * @param files their names: the first makes version 1, each other brings the tables from the version before to its own
 * @param placeholders what stands for what in them
 */
public record SchemaFiles(String location, List<String> files, Map<String, String> placeholders) {

    /** The version that all of them make. */
    public int version() {
        return files.size();
    }

    /** What leads from one version, 0 for nothing, to another. */
    String script(int from, int to) {
        StringBuilder script = new StringBuilder();
        for (String file : files.subList(from, to)) {
            String text = read(location + "/" + file);
            for (Map.Entry<String, String> placeholder : placeholders.entrySet()) {
                text = text.replace("${" + placeholder.getKey() + "}", placeholder.getValue());
            }
            script.append(text);
        }
        return script.toString();
    }

    private static String read(String file) {
        try (InputStream in = SchemaFiles.class.getResourceAsStream("/" + file)) {
            if (in == null) {
                throw new IllegalStateException(file + " is missing from the class path");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(file + " cannot be read", e);
        }
    }
}
