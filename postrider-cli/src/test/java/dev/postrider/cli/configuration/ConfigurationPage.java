package dev.postrider.cli.configuration;

import dev.postrider.settings.Option;
import dev.postrider.settings.OptionGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** The page of the documentation whose tables are made from the options. */
final class ConfigurationPage {
    private static final String BEGIN = "<!-- made from the options; ConfigurationPageTest says how -->\n";
    private static final String END = "<!-- end of what is made from the options -->\n";

    private ConfigurationPage() {}

    static String read() throws IOException {
        return Files.readString(Path.of("..", "docs", "configuration.md"));
    }

    /** The same page with the tables of these options. */
    static String with(String page, List<OptionGroup> groups) {
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        int end = page.indexOf(END);
        String tables = groups.stream().map(ConfigurationPage::table).collect(Collectors.joining());
        return page.substring(0, begin) + tables + "\n" + page.substring(end);
    }

    private static String table(OptionGroup group) {
        return "\n### " + group.title() + "\n\n| key and flag | default | allowed | meaning |\n|---|---|---|---|\n"
                + group.options().stream().map(ConfigurationPage::row).collect(Collectors.joining());
    }

    private static String row(Option<?> option) {
        return "| `%s`%s | %s | %s | %s |\n"
                .formatted(
                        option.key(),
                        option.flag() == null ? "" : " `" + option.flag() + "`",
                        option.defaultText().isEmpty() ? "" : "`" + option.defaultText() + "`",
                        option.format().allowed().replace("|", "\\|"),
                        option.description().replace("|", "\\|"));
    }
}
