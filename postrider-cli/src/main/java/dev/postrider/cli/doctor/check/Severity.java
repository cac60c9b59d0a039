package dev.postrider.cli.doctor.check;

/** How bad a finding is, from good to bad. */
public enum Severity {
    OK("green"),
    INFO("cyan"),
    WARNING("yellow"),
    ERROR("bold,red");

    private final String style;

    Severity(String style) {
        this.style = style;
    }

    /** In picocli's words. */
    public String style() {
        return style;
    }

    /** Whether somebody has to act. */
    public boolean isBad() {
        return compareTo(INFO) > 0;
    }
}
