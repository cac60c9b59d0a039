package dev.postrider.examples.check;

import dev.postrider.examples.Requirement;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.type.MethodMetadata;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Which tests carry which requirements, by the compiled test classes of a system, and what became of them, by Surefire's
 * reports.
 *
 * @param tests names such as {@code RetryTest.waits}, by requirement
 * @param problems tests with a requirement that did not run, were skipped or failed
 */
record ShownRequirements(SortedMap<String, SortedSet<String>> tests, List<String> problems) {

    static ShownRequirements of(Path system) {
        ShownRequirements shown = new ShownRequirements(new TreeMap<>(), new ArrayList<>());
        try (Stream<Path> files = Files.walk(system)) {
            files.filter(file -> file.toString().endsWith(".class")
                            && file.toString().contains(Path.of("target", "test-classes") + ""))
                    .sorted()
                    .forEach(shown::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return shown;
    }

    private void add(Path classFile) {
        MetadataReader reader;
        try {
            reader = new SimpleMetadataReaderFactory().getMetadataReader(new FileSystemResource(classFile));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String className = reader.getClassMetadata().getClassName();
        for (MethodMetadata method : reader.getAnnotationMetadata().getAnnotatedMethods(Requirement.class.getName())) {
            String test = className.substring(className.lastIndexOf('.') + 1) + "." + method.getMethodName();
            String[] ids = (String[])
                    method.getAnnotationAttributes(Requirement.class.getName()).get("value");
            for (String id : ids) {
                tests.computeIfAbsent(id, any -> new TreeSet<>()).add(test);
            }
            outcome(classFile, className, method.getMethodName(), test);
        }
    }

    private void outcome(Path classFile, String className, String method, String test) {
        Path target = classFile;
        while (!target.endsWith("target")) {
            target = target.getParent();
        }
        Path report = target.resolve("surefire-reports/TEST-" + className + ".xml");
        if (!Files.exists(report)) {
            problems.add(test + " did not run: there is no " + report);
            return;
        }
        try {
            FileTime compiled = Files.getLastModifiedTime(classFile);
            if (Files.getLastModifiedTime(report).compareTo(compiled) < 0) {
                problems.add(test + " has not run since it was compiled: " + report + " is older");
                return;
            }
            NodeList cases = DocumentBuilderFactory.newDefaultInstance()
                    .newDocumentBuilder()
                    .parse(report.toFile())
                    .getElementsByTagName("testcase");
            int runs = 0;
            for (int i = 0; i < cases.getLength(); i++) {
                Element testCase = (Element) cases.item(i);
                // Parameters follow the method's name in brackets of several kinds.
                if (!testCase.getAttribute("name").split("[({\\[]")[0].strip().equals(method)) {
                    continue;
                }
                runs++;
                for (String bad : List.of("skipped", "failure", "error")) {
                    if (testCase.getElementsByTagName(bad).getLength() > 0) {
                        problems.add(test + " did not succeed: " + bad + ", says " + report);
                    }
                }
            }
            if (runs == 0) {
                problems.add(test + " did not run: it is not in " + report);
            }
        } catch (IOException | SAXException | ParserConfigurationException e) {
            problems.add(report + " cannot be read: " + e);
        }
    }
}
