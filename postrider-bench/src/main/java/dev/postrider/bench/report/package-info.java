/** Figures, what they mean, and how they are shown: JSON, Markdown, plots. */
@NullMarked
package dev.postrider.bench.report;

import org.jspecify.annotations.NullMarked;
