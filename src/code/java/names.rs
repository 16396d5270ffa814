//! The types that a Java program can name without an import, and common types of the standard library.

/// Whether a name is a common type of `java.lang`, a primitive type, `void` or `var`.
pub(super) fn is_java_lang(name: &str) -> bool {
    JAVA_LANG.binary_search(&name).is_ok()
}

/// The package of a common type of the standard library, for code without its imports. `None` if the type is not in
/// `STANDARD`. For a type in a subpackage, the result may be the parent package: `java.nio` for `Charset`.
pub(super) fn standard_package(name: &str) -> Option<&'static str> {
    STANDARD
        .iter()
        .find(|(_, names)| names.split(' ').any(|known| known == name))
        .map(|(package, _)| *package)
}

/// Whether a package, or the qualified name of a type, begins like the packages of the standard library.
pub(super) fn is_standard_package(package: &str) -> bool {
    [
        "java.",
        "javax.",
        "jdk.",
        "org.w3c.dom",
        "org.xml.sax",
        "org.ietf.jgss",
    ]
    .iter()
    .any(|known| package.starts_with(known))
}

/// The names for [`is_java_lang`], sorted for binary search.
const JAVA_LANG: &[&str] = &[
    "AbstractMethodError",
    "Appendable",
    "ArithmeticException",
    "ArrayIndexOutOfBoundsException",
    "ArrayStoreException",
    "AssertionError",
    "AutoCloseable",
    "Boolean",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "ClassCastException",
    "ClassLoader",
    "ClassNotFoundException",
    "CloneNotSupportedException",
    "Cloneable",
    "Comparable",
    "Deprecated",
    "Double",
    "Enum",
    "Error",
    "Exception",
    "Float",
    "FunctionalInterface",
    "IllegalAccessException",
    "IllegalArgumentException",
    "IllegalMonitorStateException",
    "IllegalStateException",
    "IndexOutOfBoundsException",
    "InstantiationException",
    "Integer",
    "InterruptedException",
    "Iterable",
    "LinkageError",
    "Long",
    "Math",
    "NegativeArraySizeException",
    "NoSuchFieldException",
    "NoSuchMethodException",
    "NullPointerException",
    "Number",
    "NumberFormatException",
    "Object",
    "OutOfMemoryError",
    "Override",
    "Package",
    "Process",
    "ProcessBuilder",
    "Record",
    "ReflectiveOperationException",
    "Runnable",
    "Runtime",
    "RuntimeException",
    "SafeVarargs",
    "SecurityException",
    "Short",
    "StackOverflowError",
    "StackTraceElement",
    "StrictMath",
    "String",
    "StringBuffer",
    "StringBuilder",
    "StringIndexOutOfBoundsException",
    "SuppressWarnings",
    "System",
    "Thread",
    "ThreadGroup",
    "ThreadLocal",
    "Throwable",
    "UnsupportedOperationException",
    "Void",
    "boolean",
    "byte",
    "char",
    "double",
    "float",
    "int",
    "long",
    "short",
    "var",
    "void",
];

/// For [`standard_package`]: (package, names of its types separated by spaces).
const STANDARD: &[(&str, &str)] = &[
    (
        "java.util",
        "AbstractList AbstractMap AbstractSet ArrayDeque ArrayList Arrays BitSet Calendar Collection Collections \
         Comparator ConcurrentModificationException Currency Date Deque Dictionary EnumMap EnumSet Enumeration \
         Formatter GregorianCalendar HashMap HashSet Hashtable IdentityHashMap Iterator LinkedHashMap LinkedHashSet \
         LinkedList List ListIterator Locale Map NavigableMap NavigableSet NoSuchElementException Objects Optional \
         OptionalInt PriorityQueue Properties Queue Random RandomAccess ResourceBundle Scanner ServiceLoader Set \
         SortedMap SortedSet Spliterator Stack StringJoiner StringTokenizer TimeZone Timer TimerTask TreeMap TreeSet \
         UUID Vector WeakHashMap",
    ),
    (
        "java.util.concurrent",
        "Callable CompletableFuture ConcurrentHashMap ConcurrentLinkedQueue ConcurrentMap CopyOnWriteArrayList \
         CountDownLatch ExecutionException Executor ExecutorService Executors Future LinkedBlockingQueue \
         ThreadFactory ThreadLocalRandom TimeUnit TimeoutException AtomicBoolean AtomicInteger AtomicLong \
         AtomicReference Lock ReentrantLock ReadWriteLock",
    ),
    (
        "java.util.function",
        "BiConsumer BiFunction BiPredicate BinaryOperator Consumer Function IntFunction IntPredicate Predicate \
         Supplier UnaryOperator",
    ),
    (
        "java.util.stream",
        "Collectors IntStream LongStream Stream StreamSupport",
    ),
    ("java.util.regex", "Matcher Pattern PatternSyntaxException"),
    (
        "java.io",
        "BufferedInputStream BufferedOutputStream BufferedReader BufferedWriter ByteArrayInputStream \
         ByteArrayOutputStream Closeable DataInput DataInputStream DataOutput DataOutputStream EOFException File \
         FileFilter FileInputStream FileNotFoundException FileOutputStream FileReader FileWriter FilenameFilter \
         IOException InputStream InputStreamReader ObjectInputStream ObjectOutputStream OutputStream \
         OutputStreamWriter PrintStream PrintWriter RandomAccessFile Reader Serializable StringReader StringWriter \
         UncheckedIOException UnsupportedEncodingException Writer",
    ),
    (
        "java.nio",
        "ByteBuffer ByteOrder CharBuffer Charset FileChannel Files MappedByteBuffer Path Paths StandardCharsets \
         StandardOpenOption",
    ),
    (
        "java.net",
        "HttpURLConnection InetAddress InetSocketAddress MalformedURLException ServerSocket Socket SocketException \
         URI URISyntaxException URL URLClassLoader URLConnection URLDecoder URLEncoder UnknownHostException",
    ),
    (
        "java.text",
        "DateFormat DecimalFormat MessageFormat NumberFormat ParseException SimpleDateFormat",
    ),
    (
        "java.time",
        "Clock DateTimeFormatter Duration Instant LocalDate LocalDateTime LocalTime OffsetDateTime Period ZoneId \
         ZoneOffset ZonedDateTime",
    ),
    (
        "java.math",
        "BigDecimal BigInteger MathContext RoundingMode",
    ),
    (
        "java.lang.reflect",
        "AnnotatedElement Array Constructor Field InvocationTargetException Method Modifier ParameterizedType Proxy \
         Type TypeVariable WildcardType Annotation",
    ),
    (
        "java.security",
        "KeyStore MessageDigest NoSuchAlgorithmException PrivateKey PublicKey SecureRandom Signature",
    ),
    (
        "java.sql",
        "Connection DriverManager PreparedStatement ResultSet SQLException Statement Timestamp",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_types_and_packages_are_recognised() {
        assert!(JAVA_LANG.is_sorted());
        assert!(is_java_lang("String") && !is_java_lang("List"));
        assert_eq!(standard_package("HashMap"), Some("java.util"));
        assert_eq!(standard_package("Gson"), None);
        assert!(is_standard_package("java.util") && !is_standard_package("com.google"));
    }
}
