/// The method that solved a least-squares problem. The raw values are stable, because manifests store them.
public enum LeastSquaresMethod: String, CaseIterable, Codable, Hashable, Sendable {
  /// Sums of products and a Cholesky factor, with one step of refinement on the rows.
  case cholesky
  /// Householder QR with column pivoting on the rows. It requires full column rank.
  case qr
  /// Singular value decomposition, which determines the rank. If the rank is deficient, the solution is the
  /// minimizer of least norm.
  case svd

  /// The method that a caller requests.
  public enum Choice: Hashable, Sendable {
    /// The fastest method that is accurate for the problem.
    ///
    /// This is Cholesky if every penalty is positive and the sums of products are well conditioned. Otherwise
    /// it is QR, or SVD if QR finds a deficient rank.
    case automatic
    /// The given method only. The solver throws an error if this method fails.
    case only(LeastSquaresMethod)
  }
}
