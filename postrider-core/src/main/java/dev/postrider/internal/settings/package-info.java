/** What those who read settings have in common, whether from a command line or from an application's properties. */
@NullMarked
package dev.postrider.internal.settings;

import org.jspecify.annotations.NullMarked;
