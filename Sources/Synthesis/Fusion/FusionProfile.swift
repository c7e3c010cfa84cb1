internal import Concurrency

/// The words of a profile: name, company, one or two sentences, and skills. They are generated when the
/// document is written.
struct FusionProfile {
  let fullName: String
  let company: String
  let bio: String
  let skills: [String]

  /// Creates the words of `person`, which match the person's field and role.
  ///
  /// An older document of the same person has the same name, but another company and text.
  init(of person: FusionPerson, isOlder: Bool, seed: UInt64) {
    let city = City.europe[person.city]
    let field = BusinessField.all[person.field]
    var names = SplitMix64(seed: seed, purpose: .wording, index: 2 * person.index)
    let style = names.nextBool(probability: 0.85) ? city.names : names.pick(NameStyle.allCases)
    fullName = style.fullName(using: &names)
    var generator = isOlder ? SplitMix64(seed: seed, purpose: .wording, index: 2 * person.index + 1) : names
    company = Self.company(field: field, role: person.role, using: &generator)
    let order = generator.nextPermutation(of: field.skills.count)
    skills = order.prefix(generator.nextInteger(in: 0...4)).map { field.skills[$0] }
    bio = Self.bio(role: person.role, field: field, company: company, city: city.name, using: &generator)
  }

  private static func company(
    field: BusinessField, role: Role, using generator: inout SplitMix64
  ) -> String {
    let word = generator.pick(field.companyWords)
    let other = generator.pick(["North", "Blue", "First", "Old Town", "Green", "Open", "River", "Twin"])
    let endings =
      switch role {
      case .investor: ["Capital", "Ventures", "Partners", "& Sons Holding"]
      case .entrepreneur: ["Labs", "Works", "& Co.", "Studio", "Collective"]
      case .professional: ["Group", "AG", "Ltd", "S.L.", "B.V.", "& Partners"]
      }
    let ending = generator.pick(endings)
    return generator.nextBool(probability: 0.4) ? "\(other) \(word) \(ending)" : "\(word) \(ending)"
  }

  private static func bio(
    role: Role, field: BusinessField, company: String, city: String, using generator: inout SplitMix64
  ) -> String {
    let product = generator.pick(field.products)
    let customers = generator.pick(field.customers)
    let skill = generator.pick(field.skills)
    let branch = field.name.lowercased()
    let openings =
      switch role {
      case .entrepreneur:
        [
          "Founder of \(company), building \(product) for \(customers).",
          "Started \(company) to bring \(product) to \(customers).",
          "Runs a small team in \(city) that sells \(product).",
        ]
      case .investor:
        [
          "Backs young companies that work on \(product).",
          "Invests in \(branch), from the first cheque to the first hundred customers.",
          "Looks for founders who know \(customers) well.",
        ]
      case .professional:
        [
          "Works on \(product) at \(company).",
          "Does \(skill) at \(company), mostly for \(customers).",
          "Came to \(branch) by way of \(skill).",
        ]
      }
    let closings =
      switch role {
      case .entrepreneur:
        [
          "Looking for a partner who can sell.", "Raising a first round.",
          "Always glad to meet people who know \(skill).",
        ]
      case .investor:
        [
          "Coffee in \(city) is on me.", "Prefers plain numbers to long decks.",
          "Also happy to say \"not yet\".",
        ]
      case .professional:
        [
          "Open to side projects.", "Likes to talk shop over lunch in \(city).",
          "Thinking about starting something around \(product).",
        ]
      }
    let opening = generator.pick(openings)
    let closing = generator.pick(closings)
    return generator.nextBool(probability: 0.6) ? opening + " " + closing : opening
  }
}
