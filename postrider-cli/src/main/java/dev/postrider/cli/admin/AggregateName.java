package dev.postrider.cli.admin;

import dev.postrider.settings.Format;

/** An aggregate as an operator names it. */
record AggregateName(String type, String id) {
    static final String LABEL = "<type/id>";

    private static final Format<AggregateName> FORMAT = Format.of(
            AggregateName.class,
            LABEL,
            "the aggregate's type and its id, such as order/42",
            AggregateName::split,
            name -> name.type() + "/" + name.id());

    static AggregateName read(String text, String option) {
        return FORMAT.parse(text, option);
    }

    private static AggregateName split(String text) {
        int slash = text.indexOf('/');
        if (slash < 1 || slash == text.length() - 1) {
            throw new IllegalArgumentException(text);
        }
        return new AggregateName(text.substring(0, slash), text.substring(slash + 1));
    }
}
