package dev.postrider.cli.command;

import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import tools.jackson.databind.json.JsonMapper;

/** Writes each line of the log as one JSON object: time in UTC, level, logger, message, and the error with its stack. */
final class JsonLogger extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private final transient Logger levels;
    private final transient PrintStream stream;

    /**
     * @param levels knows what is logged
     */
    JsonLogger(String name, Logger levels, PrintStream stream) {
        this.name = name;
        this.levels = levels;
        this.stream = stream;
    }

    @Override
    public boolean isTraceEnabled() {
        return levels.isTraceEnabled();
    }

    @Override
    public boolean isDebugEnabled() {
        return levels.isDebugEnabled();
    }

    @Override
    public boolean isInfoEnabled() {
        return levels.isInfoEnabled();
    }

    @Override
    public boolean isWarnEnabled() {
        return levels.isWarnEnabled();
    }

    @Override
    public boolean isErrorEnabled() {
        return levels.isErrorEnabled();
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level,
            @Nullable Marker marker,
            String pattern,
            @Nullable Object @Nullable [] arguments,
            @Nullable Throwable error) {
        Map<String, Object> line = new LinkedHashMap<>();
        line.put("time", Instant.now().toString());
        line.put("level", level.toString());
        line.put("logger", name);
        line.put("thread", Thread.currentThread().getName());
        line.put("message", String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments)));
        if (error != null) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            line.put("error", String.valueOf(error));
            line.put("stack", trace.toString());
        }
        byte[] text = (JsonMapper.shared().writeValueAsString(line) + "\n").getBytes(StandardCharsets.UTF_8);
        // In one piece: other threads log too.
        stream.write(text, 0, text.length);
        stream.flush();
    }
}
