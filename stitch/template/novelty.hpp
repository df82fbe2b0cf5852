#pragma once

/// Which part of a page is alive: how much of it another version of the page does not have (OWeB, section 2.3).
///
///     sim(n1,n2)   = [token(n1) = token(n2)] + |attrs(n1) ∩ attrs(n2)|
///     R(n1,T)      = max over n in T of sim(n1,n) + sim(parent(n1), parent(n))
///     N(n1)        = 1 - R(n1,T2) / R(n1,T1)
///     N(subtree)   = N(root) + sum of N(child subtrees)
///     diff(n)      = N(subtree n) - max over children c of N(subtree c);   the feed area is argmax diff
///
/// A token is an element's name or a text's text, attributes are name=value pairs, a missing parent counts 0. The tree
/// is the elements and the texts that are not blank.
///
/// Exact, but not by comparing all pairs. A node with its parent is a set of features and sim + sim is the size of the
/// intersection, so R(n1,T1) is the size of n1's own set; equal sets are searched once, sets that T2 has need no
/// search, and the others are looked up rarest feature first, until the features not yet looked at could not beat the
/// best.

#include "stitch/html/document.hpp"

#include <cstddef>
#include <vector>

namespace cistern::stitch::templates {

struct novelty {
  std::vector<double> own;      // N of each node, 0 for what is not in the tree
  std::vector<double> subtree;  // N of the subtree
  html::node_id area = html::no_node;
  double area_diff = 0;
};

/// Novelty of `page` against `other`. Hostile pages with millions of pairs to compare are given up on after `budget`
/// comparisons: what was not searched by then counts as found, so that it can never become the area.
[[nodiscard]] novelty find_novelty(html::document const& page, html::document const& other,
                                   std::size_t budget = 20'000'000);

}  // namespace cistern::stitch::templates
