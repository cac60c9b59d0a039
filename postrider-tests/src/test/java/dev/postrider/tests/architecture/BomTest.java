package dev.postrider.tests.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** The list of versions that users import. */
class BomTest {
    private static final Path ROOT = Path.of("..");
    private static final String BOM = "postrider-bom";
    private static final String ARTIFACTS = "/project/dependencyManagement/dependencies/dependency";

    @Test
    void listsEveryArtifactThatIsPublishedAndNoOther() throws Exception {
        List<String> published = new ArrayList<>();
        for (String module : texts(ROOT.resolve("pom.xml"), "/project/modules/module")) {
            Path pom = ROOT.resolve(module).resolve("pom.xml");
            if (!module.equals(BOM) && !Files.readString(pom).contains("<maven.deploy.skip>true</maven.deploy.skip>")) {
                published.add(module);
            }
        }
        Path bom = ROOT.resolve(BOM).resolve("pom.xml");

        assertThat(texts(bom, ARTIFACTS + "/artifactId")).containsExactlyInAnyOrderElementsOf(published);
        assertThat(texts(bom, ARTIFACTS + "/groupId")).containsOnly("dev.postrider");
    }

    /** With a parent it would bring along whatever that manages. */
    @Test
    void hasTheVersionOfAllWithoutAParent() throws Exception {
        Path bom = ROOT.resolve(BOM).resolve("pom.xml");

        assertThat(texts(bom, "/project/parent")).isEmpty();
        assertThat(texts(bom, "/project/version")).isEqualTo(texts(ROOT.resolve("pom.xml"), "/project/version"));
        assertThat(texts(bom, ARTIFACTS + "/version")).containsOnly("${project.version}");
    }

    private static List<String> texts(Path pom, String path) throws Exception {
        Document document =
                DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(pom.toFile());
        XPath paths = XPathFactory.newInstance().newXPath();
        NodeList nodes = (NodeList) paths.evaluate(path, document, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().strip());
        }
        return texts;
    }
}
