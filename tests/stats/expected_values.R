# Makes expected_values.txt, the independent answers that the tests of lib/stats compare with:
#   Rscript expected_values.R > expected_values.txt
# R's own t.test, sd, quantile (type 7) and qt; 17 significant digits.
golden <- function(name) scan(file.path("..", "data", "golden", "2009-g45",
                                        paste0("g45-upload_blit_large", name, ".txt")), quiet = TRUE)
set.seed(20090330)
sets <- list(
    pwrite = golden(""), gtt = golden("_gtt"), map = golden("_map"),
    two = c(1000, 1010), two_more = c(1200, 1190.5),
    shifted = 1e9 + c(4, 7, 13, 16), shifted_more = 1e9 + c(5, 9, 11, 18, 21),
    many = exp(rnorm(30, 8, 0.05)), tight = exp(rnorm(12, 8.01, 0.002)),
    drift_a = 5000 * (1 + 0.02 * (1:8)) * exp(rnorm(8, 0, 0.001)),
    drift_b = 5050 * (1 + 0.02 * (1:8)) * exp(rnorm(8, 0, 0.001)))
pairs <- list(c("pwrite", "gtt"), c("pwrite", "map"), c("gtt", "map"), c("two", "two_more"),
              c("shifted", "shifted_more"), c("many", "tight"), c("two", "many"),
              c("drift_a", "drift_b"))

emit <- function(...) cat(..., "\n")
number <- function(x) sprintf("%.17g", x)
interval <- function(kind, names, test, value) {
    emit(kind, names, number(c(value, test$conf.int, test$stderr, test$parameter)))
}

for (name in names(sets)) emit("data", name, number(sets[[name]]))
for (name in names(sets)) {
    x <- sets[[name]]
    emit("summary", name, number(c(min(x), max(x), median(x), mean(x), sd(x))))
    emit("quantiles", name, number(quantile(x, c(0.1, 0.25, 0.9), names = FALSE)))
    for (level in c(0.9, 0.95)) {
        interval(paste0("mean@", level), name, t.test(x, conf.level = level), mean(x))
    }
}
for (pair in pairs) {
    a <- sets[[pair[1]]]
    b <- sets[[pair[2]]]
    for (level in c(0.9, 0.95)) {
        at <- function(kind) paste0(kind, "@", level)
        interval(at("pooled"), pair, t.test(b, a, var.equal = TRUE, conf.level = level), mean(b) - mean(a))
        interval(at("welch"), pair, t.test(b, a, conf.level = level), mean(b) - mean(a))
        if (pair[1] == "shifted") next # their logs' differences are rounding, in R too
        interval(at("welch_log"), pair, t.test(log(b), log(a), conf.level = level),
                 mean(log(b)) - mean(log(a)))
        if (length(a) == length(b)) {
            interval(at("paired_log"), pair, t.test(log(b), log(a), paired = TRUE, conf.level = level),
                     mean(log(b) - log(a)))
        }
    }
}
for (df in c(1, 2.5, 4, 7.3, 29, 100, 1e4)) for (p in c(0.6, 0.95, 0.975, 0.9995)) {
    emit("quantile_t", number(c(p, df, qt(p, df))))
}
for (df in c(1, 2.5, 9, 120)) for (t in c(-3, -0.5, 0, 1.7, 6)) {
    emit("distribution_t", number(c(t, df, pt(t, df))))
}
