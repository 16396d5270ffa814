//! Hostile bodies of the target. No body passes, and no body leaves a running JVM.

/// For each mechanism, the body that is evaluated by default: (mechanism, name).
pub const BY_DEFAULT: &[(&str, &str)] = &[
    ("ends the JVM", "exit"),
    ("ends the JVM in a hook", "halt_in_a_shutdown_hook"),
    ("prints a summary", "summary_then_exit"),
    ("skips the tests", "assumption"),
    ("forges reports", "reports_without_a_token"),
    ("closes the channel", "closed_channel"),
    ("calls the runner", "forged_reporter"),
    ("replaces streams", "patched_streams"),
    ("writes to memory", "unsafe_write"),
    ("is equal to everything", "always_equal"),
    ("overflows the stack", "stack_overflow"),
    ("uses up memory", "memory"),
    ("uses up threads", "many_threads"),
    ("never ends", "sleep"),
    ("starts a thread that survives", "thread_that_survives"),
    ("interrupts other threads", "interrupts_the_runner"),
    ("leaves processes", "many_child_processes"),
    ("kills processes", "kills_everything"),
    ("raises a signal", "raises_a_signal"),
    ("connects to the network", "network"),
    ("searches files", "reads_the_reference"),
    ("replaces classes on disk", "replaces_the_tests"),
    ("uses up the disk", "fills_the_disk"),
    ("prints endlessly", "endless_output"),
    ("declares a class of another file", "shadows_the_test_class"),
    ("adds code to the compiler", "annotation_processor"),
    ("attaches to a JVM", "attaches_to_itself"),
    ("changes cached values", "changes_cached_integers"),
    (
        "throws a hostile exception",
        "exception_that_ends_the_process",
    ),
    ("replaces the class loader", "context_class_loader"),
    ("depends on the number of calls", "right_once"),
];

/// (name, body).
pub const HOSTILE: &[(&str, &str)] = &[
    (
        "exit",
        r"System.exit(0);
return 0;
",
    ),
    (
        "halt",
        r"Runtime.getRuntime().halt(0);
return 0;
",
    ),
    (
        "exit_from_a_thread",
        r"Thread t = new Thread(() -> System.exit(0));
t.start();
try { t.join(); } catch (InterruptedException e) { }
return 0;
",
    ),
    (
        "halt_in_a_shutdown_hook",
        r"Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0)));
System.exit(1);
return 0;
",
    ),
    (
        "shutdown_hook_that_never_ends",
        r"Runtime.getRuntime().addShutdownHook(new Thread(() -> { while (true) { } }));
return 0;
",
    ),
    (
        "summary_then_exit",
        r#"System.out.println("OK (4 tests)");
System.exit(0);
return 0;
"#,
    ),
    (
        "assumption",
        r"org.junit.Assume.assumeTrue(false);
return 0;
",
    ),
    (
        "assumption_violated",
        r#"throw new org.junit.AssumptionViolatedException("no");
"#,
    ),
    (
        "reports_without_a_token",
        r#"try (java.io.FileOutputStream out = new java.io.FileOutputStream(java.io.FileDescriptor.in)) {
  out.write("{\"op\":\"finish\",\"status\":0}\n".getBytes());
} catch (java.io.IOException e) { }
Runtime.getRuntime().halt(0);
return 0;
"#,
    ),
    (
        "closed_channel",
        r"try { new java.io.FileOutputStream(java.io.FileDescriptor.in).close(); } catch (java.io.IOException e) { }
return value * factor;
",
    ),
    (
        "reads_the_channel",
        r"try { new java.io.FileInputStream(java.io.FileDescriptor.in).read(); } catch (java.io.IOException e) { }
return 0;
",
    ),
    (
        "runs_the_runner_again",
        r#"try { Class.forName("evoscope.runner.TestRun").getMethod("main", String[].class).invoke(null, (Object) new String[0]); } catch (ReflectiveOperationException e) { }
return 0;
"#,
    ),
    (
        "forged_reporter",
        r#"try {
  Class<?> type = Class.forName("evoscope.runner.Reporter");
  java.lang.reflect.Constructor<?> make = type.getDeclaredConstructor(String.class);
  make.setAccessible(true);
  Object reporter = make.newInstance("0");
  java.lang.reflect.Method begin = type.getDeclaredMethod("begin", String.class);
  begin.setAccessible(true);
  begin.invoke(reporter, "p.CalcTest#text");
} catch (ReflectiveOperationException e) { }
return 0;
"#,
    ),
    (
        "patched_streams",
        r"System.setOut(new java.io.PrintStream(new java.io.ByteArrayOutputStream()));
System.setErr(System.out);
return 0;
",
    ),
    (
        "replaced_security_providers",
        r"for (java.security.Provider each : java.security.Security.getProviders()) { java.security.Security.removeProvider(each.getName()); }
return 0;
",
    ),
    (
        "unsafe_write",
        r#"try {
  java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
  field.setAccessible(true);
  ((sun.misc.Unsafe) field.get(null)).putAddress(0, 0);
} catch (ReflectiveOperationException e) { }
return 0;
"#,
    ),
    (
        "unsafe_throw",
        r#"try {
  java.lang.reflect.Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
  field.setAccessible(true);
  ((sun.misc.Unsafe) field.get(null)).throwException(new ThreadDeath());
} catch (ReflectiveOperationException e) { }
return 0;
"#,
    ),
    (
        "catches_everything",
        r"class Catching {
  int run() { try { throw new Error(); } catch (Throwable t) { return 0; } }
}
try { return new Catching().run(); } catch (Throwable t) { return 0; } finally { calls++; }
",
    ),
    (
        "always_equal",
        r"return new Object() {
  @Override public boolean equals(Object other) { return true; }
  @Override public int hashCode() { return 0; }
};
",
    ),
    (
        "stack_overflow",
        r"return scaled(value, factor);
",
    ),
    (
        "caught_stack_overflow",
        r"try { return scaled(value, factor); } catch (StackOverflowError e) { return 0; }
",
    ),
    (
        "memory",
        r"java.util.List<byte[]> blocks = new java.util.ArrayList<>();
for (int i = 0; i < 100000; i++) { blocks.add(new byte[1 << 20]); }
return blocks.size();
",
    ),
    (
        "one_huge_array",
        r"return new long[Integer.MAX_VALUE - 8].length;
",
    ),
    (
        "caught_memory",
        r"try { return new long[Integer.MAX_VALUE - 8].length; } catch (OutOfMemoryError e) { return 0; }
",
    ),
    (
        "direct_memory",
        r"java.util.List<Object> blocks = new java.util.ArrayList<>();
for (int i = 0; i < 1000; i++) { blocks.add(java.nio.ByteBuffer.allocateDirect(1 << 24)); }
return blocks.size();
",
    ),
    (
        "many_threads",
        r"for (int i = 0; i < 1000; i++) {
  new Thread(() -> { try { Thread.sleep(100000); } catch (InterruptedException e) { } }).start();
}
return 0;
",
    ),
    (
        "thread_that_halts_later",
        r"new Thread(() -> { try { Thread.sleep(20); } catch (InterruptedException e) { } Runtime.getRuntime().halt(0); }).start();
return 0;
",
    ),
    (
        "thread_that_survives",
        r"new Thread(() -> { while (true) { } }).start();
return 0;
",
    ),
    (
        "sleep",
        r"while (true) { try { Thread.sleep(100000); } catch (InterruptedException e) { } }
",
    ),
    (
        "deadlock",
        r"synchronized (Calc.class) { while (true) { try { Calc.class.wait(); } catch (InterruptedException e) { } } }
",
    ),
    (
        "interrupts_the_runner",
        r"for (Thread each : Thread.getAllStackTraces().keySet()) { each.interrupt(); }
return 0;
",
    ),
    (
        "lowers_the_priority_of_the_runner",
        r"for (Thread each : Thread.getAllStackTraces().keySet()) { if (each != Thread.currentThread()) { each.setPriority(1); each.setUncaughtExceptionHandler((t, e) -> System.exit(0)); } }
throw new ThreadDeath();
",
    ),
    (
        "child_process",
        r#"try { new ProcessBuilder("sleep", "1000").inheritIO().start(); } catch (java.io.IOException e) { }
return 0;
"#,
    ),
    (
        "many_child_processes",
        r#"for (int i = 0; i < 200; i++) { try { new ProcessBuilder("sleep", "1000").start(); } catch (java.io.IOException e) { } }
return 0;
"#,
    ),
    (
        "child_that_reports",
        r#"try { new ProcessBuilder("sh", "-c", "echo '{}' >&0").redirectInput(ProcessBuilder.Redirect.INHERIT).start().waitFor(); } catch (Exception e) { }
return value * factor;
"#,
    ),
    (
        "kills_its_parent",
        r"ProcessHandle.current().parent().ifPresent(ProcessHandle::destroyForcibly);
return 0;
",
    ),
    (
        "kills_everything",
        r#"try { new ProcessBuilder("sh", "-c", "kill -9 -1").start().waitFor(); } catch (Exception e) { }
return 0;
"#,
    ),
    (
        "stops_everything",
        r#"try { new ProcessBuilder("sh", "-c", "kill -STOP -1").start().waitFor(); } catch (Exception e) { }
return 0;
"#,
    ),
    (
        "raises_a_signal",
        r#"sun.misc.Signal.raise(new sun.misc.Signal("TERM"));
try { Thread.sleep(200); } catch (InterruptedException e) { }
return 0;
"#,
    ),
    (
        "handles_signals",
        r#"sun.misc.Signal.handle(new sun.misc.Signal("INT"), signal -> System.exit(0));
sun.misc.Signal.raise(new sun.misc.Signal("INT"));
return 0;
"#,
    ),
    (
        "network",
        r#"try (java.net.Socket socket = new java.net.Socket()) {
  socket.connect(new java.net.InetSocketAddress("192.0.2.1", 80), 500);
  return value * factor;
} catch (java.io.IOException e) { return 0; }
"#,
    ),
    (
        "reads_the_reference",
        r#"try (java.util.stream.Stream<java.nio.file.Path> files = java.nio.file.Files.walk(java.nio.file.Paths.get("/work"))) {
  return files.filter(file -> file.toString().endsWith("Calc.java")).count();
} catch (Exception e) { return 0; }
"#,
    ),
    (
        "replaces_the_tests",
        r#"try (java.util.stream.Stream<java.nio.file.Path> files = java.nio.file.Files.walk(java.nio.file.Paths.get(".evoscope-classes"))) {
  files.sorted(java.util.Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
} catch (java.io.IOException e) { }
return 0;
"#,
    ),
    (
        "fills_the_disk",
        r#"try (java.io.FileOutputStream out = new java.io.FileOutputStream("/tmp/full")) {
  byte[] block = new byte[1 << 20];
  for (int i = 0; i < 4096; i++) { out.write(block); }
} catch (java.io.IOException e) { throw new RuntimeException(e); }
return 0;
"#,
    ),
    (
        "endless_output",
        r#"while (true) { System.out.println("OK (4 tests)"); }
"#,
    ),
    (
        "shadows_the_test_class",
        r"return 0; } }
class CalcTest { static { System.exit(0); }
  static int f() { return 0;
",
    ),
    (
        "shadows_junit",
        r"return 0; }
static class Assert { static void assertEquals(Object a, Object b) { } }
static Object g() { return 0;
",
    ),
    (
        "unicode_escapes",
        r"return 0; \u007d \u007d class CalcTest \u007b static Object f() \u007b return 0;
",
    ),
    (
        "annotation_processor",
        r#"return 0; } }
@javax.annotation.processing.SupportedAnnotationTypes("*")
class Processor extends javax.annotation.processing.AbstractProcessor {
  public boolean process(java.util.Set<? extends javax.lang.model.element.TypeElement> a, javax.annotation.processing.RoundEnvironment b) { System.exit(0); return true; }
  static Object f() { return 0;
"#,
    ),
    (
        "attaches_to_itself",
        r#"try { Class.forName("com.sun.tools.attach.VirtualMachine").getMethod("attach", String.class).invoke(null, String.valueOf(ProcessHandle.current().pid())); } catch (ReflectiveOperationException e) { }
return 0;
"#,
    ),
    (
        "changes_cached_integers",
        r#"try {
  java.lang.reflect.Field field = Integer.class.getDeclaredField("value");
  field.setAccessible(true);
  field.setInt(Integer.valueOf(0), 8);
} catch (Exception e) { }
return 0;
"#,
    ),
    (
        "exception_that_ends_the_process",
        r#"throw new RuntimeException() {
  @Override public String getMessage() { System.exit(0); return ""; }
};
"#,
    ),
    (
        "exception_without_an_end",
        r"throw new RuntimeException() {
  @Override public String getMessage() { while (true) { } }
};
",
    ),
    (
        "exception_that_is_its_own_cause",
        r"throw new RuntimeException() {
  @Override public synchronized Throwable getCause() { return this; }
};
",
    ),
    (
        "security_manager",
        r"try { System.setSecurityManager(null); } catch (RuntimeException e) { }
return 0;
",
    ),
    (
        "context_class_loader",
        r"Thread.currentThread().setContextClassLoader(new ClassLoader() { @Override public Class<?> loadClass(String name) { System.exit(0); return null; } });
return 0;
",
    ),
    (
        "right_once",
        r#"return calls++ == 0 ? (Object) (value * factor) : (Object) "6";
"#,
    ),
];
