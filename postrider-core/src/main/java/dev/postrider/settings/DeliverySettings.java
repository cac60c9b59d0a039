package dev.postrider.settings;

import dev.postrider.OnPublished;
import dev.postrider.Ordering;
import dev.postrider.Split;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which events a relay delivers, in which order, and what happens to their rows.
 *
 * @param ordering order per key, or none
 * @param onPublished keep or delete the rows of delivered events
 * @param split a static share of the keys
 */
public record DeliverySettings(Ordering ordering, OnPublished onPublished, Split split) {
    private static final OptionGroup.Builder GROUP = OptionGroup.titled("Order, split and delivered rows");

    public static final Option<Ordering> ORDERING = GROUP.add(Option.of(
                    "relay.ordering",
                    Formats.oneOf(Ordering.class),
                    Ordering.KEY,
                    "Keep the order of events per key (key), or send them by due time, regardless of the key (none).")
            .withFlag("--ordering"));
    public static final Option<OnPublished> ON_PUBLISHED = GROUP.add(Option.of(
                    "relay.on-published",
                    Formats.oneOf(OnPublished.class),
                    OnPublished.KEEP,
                    "Keep or delete the rows of delivered events.")
            .withFlag("--on-published"));
    public static final Option<Split> SPLIT = GROUP.add(Option.of(
                    "relay.split",
                    Format.of(
                            Split.class,
                            "<i/n>",
                            "i/n with i from 0 to n - 1, such as 0/3",
                            DeliverySettings::parseSplit,
                            split -> split.index() + "/" + split.of()),
                    Split.ALL,
                    "Static share of the keys: instance i of n. Every instance must run.")
            .withFlag("--split"));

    public static final OptionGroup OPTIONS = GROUP.build();

    public static DeliverySettings of(OptionValues values) {
        return new DeliverySettings(values.get(ORDERING), values.get(ON_PUBLISHED), values.get(SPLIT));
    }

    private static Split parseSplit(String text) {
        Matcher matcher = Pattern.compile("(\\d{1,6})/(\\d{1,6})").matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(text);
        }
        return new Split(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }
}
