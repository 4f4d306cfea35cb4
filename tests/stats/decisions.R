# Makes decisions.txt, the independent answers about p values, several comparisons and power:
#   Rscript decisions.R > decisions.txt
# R's own t.test, p.adjust and power.t.test (strict: both tails); 17 significant digits.
emit <- function(...) cat(..., "\n")
number <- function(x) sprintf("%.17g", x)
set.seed(20261207)
sets <- list(wide = rnorm(10, 0.004, 0.01), narrow = rnorm(10, 0.001, 0.002),
             up = rnorm(12, 0.02, 0.005), down = rnorm(6, -0.05, 0.01), two = c(0.001, 0.004))
for (name in names(sets)) emit("data", name, number(sets[[name]]))
for (name in names(sets)) for (margin in c(0.002, 0.01, 0.03)) {
    x <- sets[[name]]
    above <- t.test(x, mu = -margin, alternative = "greater")$p.value
    below <- t.test(x, mu = margin, alternative = "less")$p.value
    emit("p", name, number(c(margin, t.test(x)$p.value, above, max(above, below))))
}
p_sets <- list(few = c(0.01, 0.04, 0.03, 0.005), ties = c(0.02, 0.02, 0.02, 0.5, 0.5), ends = c(0, 1, 0.3),
               many = runif(40)^2, one = 0.2)
for (name in names(p_sets)) {
    emit("data", paste0("p_", name), number(p_sets[[name]]))
    emit("holm", paste0("p_", name), number(p.adjust(p_sets[[name]], "holm")))
    emit("bh", paste0("p_", name), number(p.adjust(p_sets[[name]], "BH")))
}
# Beyond a noncentrality of 37.6 R's pt is only an approximation: there both tails by quadrature.
two_tails <- function(ncp, df, size) {
    critical <- qt(size / 2, df, lower.tail = FALSE)
    missed <- function(z) dnorm(z) * pchisq(df * ((ncp + z) / critical)^2, df)
    sum(sapply(-12:11, function(from) integrate(missed, from, from + 1, rel.tol = 1e-13)$value))
}
for (df in c(1, 2, 4)) for (size in c(0.001, 1e-4)) for (ratio in c(1.2, 1.5, 4)) {
    ncp <- ratio * qt(size / 2, df, lower.tail = FALSE)
    if (ncp > 37.6) emit("far", "paired", number(c(df, size, ncp, two_tails(ncp, df, size))))
}
for (ncp in c(2.9e4, 3.1e4)) emit("far", "paired", number(c(1, 2e-5, ncp, two_tails(ncp, 1, 2e-5))))
means <- list(ratios = c(1.02, 0.97, 1.1, 1.05, 0.99), rates = c(5123.4, 5098.2, 4987.1, 6001), spread = c(1e-9, 3, 1e12, 40, 0.2),
              pair = c(2, 8))
for (name in names(means)) {
    emit("data", paste0("gm_", name), number(means[[name]]))
    for (confidence in c(0.9, 0.95)) {
        found <- t.test(log(means[[name]]), conf.level = confidence)
        emit("gm", paste0("gm_", name), number(c(confidence, exp(c(found$estimate, found$conf.int)))))
    }
}
tol <- .Machine$double.eps
for (type in c("paired", "two.sample")) for (n in c(3, 5, 10, 20, 30, 200)) {
    for (delta in c(0.1, 0.8, 2)) {
        emit("power", type, number(c(n, delta, power.t.test(n, delta, 1, type = type, strict = TRUE)$power)))
    }
    for (power in c(0.8, 0.95)) {
        found <- power.t.test(n, sd = 1, power = power, type = type, strict = TRUE, tol = tol)$delta
        emit("detectable", type, number(c(n, power, found)))
    }
}
for (type in c("paired", "two.sample")) for (delta in c(0.05, 0.3, 0.5, 1, 2)) for (power in c(0.8, 0.95)) {
    n <- power.t.test(sd = 1, delta = delta, power = power, type = type, strict = TRUE, tol = tol)$n
    emit("runs", type, number(c(delta, power, n)))
}
