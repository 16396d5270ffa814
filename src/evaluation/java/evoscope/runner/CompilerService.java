package evoscope.runner;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * A compiler that stays in memory: answers requests on standard input until it ends.
 *
 * <p>It holds the classes of the project, compiles single sources against them, and loads none of what it compiles.
 * Annotation processing is off unless the options of the environment turn it on.
 *
 * <p>A request is one byte and its content: {@code P} for a project (options, class path, roots of sources, main
 * sources, test sources), {@code M} for a main source in the place of the project's own, {@code T} for test sources.
 * An answer holds the classes with their sources, and the errors.
 */
public final class CompilerService {
    private static final int MAX_ERRORS = 20;
    private static final List<String> roots = new ArrayList<>();

    private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    private final DataInputStream in;
    private final DataOutputStream out;
    private List<String> options = new ArrayList<>();
    private Charset encoding = StandardCharsets.UTF_8;
    private MemoryFiles files;

    private CompilerService(InputStream in, OutputStream out) {
        this.in = new DataInputStream(new BufferedInputStream(in));
        this.out = new DataOutputStream(new BufferedOutputStream(out));
    }

    public static void main(String[] arguments) throws IOException {
        OutputStream out = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        CompilerService service = new CompilerService(System.in, out);
        try {
            service.serve();
        } catch (EOFException end) {
            // The session has ended.
        }
    }

    private void serve() throws IOException {
        while (true) {
            int request = in.readByte();
            if (request == 'P') {
                takeProject();
            } else if (request == 'M') {
                compile(sources(), false);
            } else {
                compile(sources(), true);
            }
            out.flush();
        }
    }

    private void takeProject() throws IOException {
        options = strings();
        int at = options.indexOf("-encoding");
        encoding = at < 0 ? StandardCharsets.UTF_8 : Charset.forName(options.get(at + 1));
        StandardJavaFileManager standard = compiler.getStandardFileManager(null, Locale.ROOT, encoding);
        standard.setLocationFromPaths(StandardLocation.CLASS_PATH, paths(strings()));
        roots.clear();
        roots.addAll(strings());
        files = new MemoryFiles(standard);
        List<MemoryFiles.Source> main = sources();
        for (MemoryFiles.Source source : sources()) {
            String name = className(source.path);
            int dot = name.lastIndexOf('.');
            files.addTestSource(source, dot < 0 ? "" : name.substring(0, dot));
        }
        compile(main, false);
        files.keep(false);
    }

    private static List<java.nio.file.Path> paths(List<String> names) {
        List<java.nio.file.Path> found = new ArrayList<>();
        names.forEach(name -> found.add(java.nio.file.Path.of(name)));
        return found;
    }

    private List<String> strings() throws IOException {
        List<String> found = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            found.add(in.readUTF());
        }
        return found;
    }

    private List<MemoryFiles.Source> sources() throws IOException {
        List<MemoryFiles.Source> found = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            String path = in.readUTF();
            byte[] text = new byte[in.readInt()];
            in.readFully(text);
            found.add(new MemoryFiles.Source(path, new String(text, encoding)));
        }
        return found;
    }

    private void compile(List<MemoryFiles.Source> sources, boolean isTest) throws IOException {
        Set<String> paths = new HashSet<>();
        sources.forEach(source -> paths.add(source.path));
        files.begin(paths, isTest);
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        List<String[]> errors = new ArrayList<>();
        try {
            if (!sources.isEmpty()) {
                compiler.getTask(java.io.Writer.nullWriter(), files, diagnostics, options, null, sources).call();
            }
        } catch (RuntimeException | StackOverflowError | AssertionError why) {
            errors.add(new String[] {sources.get(0).path, "1", "the compiler fails: " + why});
        }
        for (Diagnostic<? extends JavaFileObject> each : diagnostics.getDiagnostics()) {
            if (each.getKind() == Diagnostic.Kind.ERROR && errors.size() < MAX_ERRORS) {
                String path = each.getSource() instanceof MemoryFiles.Source ? ((MemoryFiles.Source) each.getSource()).path : "";
                errors.add(new String[] {path, Long.toString(Math.max(1, each.getLineNumber())), each.getMessage(Locale.ROOT)});
            }
        }
        List<MemoryFiles.Compiled> produced = errors.isEmpty() ? files.produced() : new ArrayList<>();
        for (MemoryFiles.Compiled made : produced) {
            MemoryFiles.Compiled known = isTest ? null : files.known(made.name, made.origin);
            if (known != null) {
                errors.add(new String[] {made.origin, "1", "duplicate class: " + made.name});
            }
        }
        if (isTest && errors.isEmpty()) {
            files.keep(true);
        }
        answer(errors.isEmpty() ? produced : new ArrayList<>(), errors);
    }

    private void answer(List<MemoryFiles.Compiled> produced, List<String[]> errors) throws IOException {
        out.writeInt(produced.size());
        for (MemoryFiles.Compiled made : produced) {
            out.writeUTF(made.name);
            out.writeUTF(made.origin);
            out.writeInt(made.data().length);
            out.write(made.data());
        }
        out.writeInt(errors.size());
        for (String[] error : errors) {
            out.writeUTF(error[0]);
            out.writeInt(Integer.parseInt(error[1]));
            byte[] message = error[2].getBytes(StandardCharsets.UTF_8);
            out.writeInt(message.length);
            out.write(message);
        }
    }

    /** The name of the class that a source's path spells below the root that holds it. */
    static String className(String path) {
        String inner = path;
        for (String root : roots) {
            if (path.startsWith(root + "/") && inner.length() > path.length() - root.length() - 1) {
                inner = path.substring(root.length() + 1);
            }
        }
        return inner.substring(0, inner.length() - ".java".length()).replace('/', '.');
    }
}
