# Read by cpack. Whether dpkg-shlibdeps lists the package of libLLVM, which the
# loader finds by a link of another package, depends on the order of Perl's
# hashes, which is random otherwise.
set(ENV{PERL_HASH_SEED} 0)
set(ENV{PERL_PERTURB_KEYS} 0)
