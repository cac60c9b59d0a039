/** What a check of the doctor is made of, and what it says. */
@NullMarked
package dev.postrider.cli.doctor.check;

import org.jspecify.annotations.NullMarked;
