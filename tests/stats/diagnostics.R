# Makes diagnostics.txt, the independent answers that the tests of lib/stats/diagnostics and
# lib/stats/variance_components compare with:
#   Rscript diagnostics.R > diagnostics.txt
# R's own mad, acf, lm with confint, t.test and aov; the unbalanced components are written out, with
# the coefficients of the expected mean squares as traces of matrices.
set.seed(1976)
emit <- function(...) cat(..., "\n")
number <- function(x) sprintf("%.17g", x)
series <- list(
    three = c(100, 103, 101), five = c(12, 9, 15, 11, 10),
    drift = 5000 * exp(0.01 * (1:12) + rnorm(12, 0, 0.004)),
    still = exp(rnorm(31, 8, 0.02)), walk = exp(8 + cumsum(rnorm(40, 0, 0.01))),
    wild = c(rnorm(15, 100, 1), 140, rnorm(6, 100, 1), 60),
    mostly_equal = c(7, 7, 7, 7, 7, 7, 9, 7, 7, 8))
line <- function(kind, names, value, low, high, error, df) {
    emit(kind, names, number(c(value, low, high, error, df)))
}
for (name in names(series)) {
    x <- series[[name]]
    emit("data", name, number(x))
    scale <- if (mad(x) > 0) mad(x, constant = 1) / 0.6745 else 1.253314 * mean(abs(x - median(x)))
    emit("outliers", name, which(abs(x - median(x)) / scale > 3.5) - 1)
    emit("acf", name, number(acf(x, lag.max = 1, plot = FALSE)$acf[2]))
    run <- seq_along(x)
    fit <- lm(log(x) ~ run)
    for (level in c(0.9, 0.95)) {
        ci <- confint(fit, "run", level)
        line(paste0("slope@", level), name, coef(fit)[[2]], ci[1], ci[2],
             coef(summary(fit))["run", 2], fit$df.residual)
    }
    half <- length(x) %/% 2
    if (half < 2) next
    a <- log(head(x, half))
    b <- log(tail(x, half))
    if (name == "mostly_equal") next # its first half has no spread
    test <- t.test(b, a)
    line("halves", name, mean(b) - mean(a), test$conf.int[1], test$conf.int[2], test$stderr,
         test$parameter)
}
ab <- rnorm(8, 0.02, 0.004)
ba <- rnorm(7, 0.01, 0.007)
emit("data", "ab", number(ab))
emit("data", "ba", number(ba))
test <- t.test(ab, ba)
line("order", c("ab", "ba"), (mean(ab) - mean(ba)) / 2, test$conf.int[1] / 2, test$conf.int[2] / 2,
     test$stderr / 2, test$parameter)

# A list by boot of the numbers of iterations of its processes.
nested <- function(name, shape, spread) {
    boot <- rep(seq_along(shape), sapply(shape, sum))
    process <- rep(seq_along(unlist(shape)), unlist(shape))
    x <- 100 + rnorm(length(shape), 0, spread[1])[boot] +
        rnorm(max(process), 0, spread[2])[process] + rnorm(length(boot), 0, spread[3])
    emit("data", paste0(name, ".shape"), c(length(shape), sapply(shape, length), unlist(shape)))
    emit("data", name, number(x))
    data.frame(x, boot = factor(boot), process = factor(process))
}
balanced <- function(name, boots, processes, iterations, spread) {
    d <- nested(name, rep(list(rep(iterations, processes)), boots), spread)
    table <- summary(aov(x ~ boot / process, d))[[1]]
    if (nrow(table) != 3) stop("not the nested table")
    ms <- table[["Mean Sq"]]
    emit("components", name, number(c((ms[1] - ms[2]) / (processes * iterations),
                                      (ms[2] - ms[3]) / iterations, ms[3], table[["Df"]])))
}
unbalanced <- function(name, shape, spread) {
    d <- nested(name, shape, spread)
    projection <- function(z) z %*% solve(crossprod(z), t(z))
    one <- matrix(1, nrow(d), 1)
    zb <- model.matrix(~ boot - 1, d)
    zp <- model.matrix(~ process - 1, d)
    q <- list(projection(zb) - projection(one), projection(zp) - projection(zb),
              diag(nrow(d)) - projection(zp))
    trace <- function(m) sum(diag(m))
    squares <- sapply(q, function(m) c(t(d$x) %*% m %*% d$x))
    coefficients <- t(sapply(q, function(m) c(trace(t(zb) %*% m %*% zb), trace(t(zp) %*% m %*% zp), trace(m))))
    emit("components", name, number(c(solve(coefficients, squares), round(sapply(q, trace)))))
}
balanced("balanced", 5, 4, 3, c(3, 1, 0.5))
balanced("balanced_quiet", 4, 3, 6, c(0, 0, 2))
balanced("balanced_one", 3, 2, 2, c(0, 2, 0.1))
unbalanced("ragged", list(c(3, 5, 2), c(4, 4), c(1, 6, 2, 3), c(7)), c(3, 1, 0.5))
unbalanced("ragged_quiet", list(c(3, 5), c(2, 2, 9), c(1, 1)), c(0, 0, 2))
unbalanced("ragged_many", list(c(10, 1), c(1, 10), c(5, 5, 5, 5), c(2), c(1, 1, 1)), c(1, 5, 1))
