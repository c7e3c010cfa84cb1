/// How a least-squares problem was solved. The raw names are stable: manifests store them.
public enum LeastSquaresMethod: String, CaseIterable, Codable, Hashable, Sendable {
  /// Sums of products and a Cholesky factor, with one step of refinement on the rows.
  case cholesky
  /// Householder QR with column pivoting on the rows. Full column rank only.
  case qr
  /// Singular values decide the rank; where it is deficient, the minimizer of least norm.
  case svd

  /// Which method a caller asks for.
  public enum Choice: Hashable, Sendable {
    /// The fastest method that is accurate for the problem.
    ///
    /// Cholesky where every penalty is positive and the sums of products are well conditioned; otherwise QR;
    /// and where QR finds the rank deficient, SVD.
    case automatic
    /// This one or an error.
    case only(LeastSquaresMethod)
  }
}
