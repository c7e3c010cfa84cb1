/// A business field: its frequency, its appeal, and the words in the profiles of its people.
struct BusinessField: Sendable {
  var name: String
  /// The weight of the field in the draw of a person's field.
  var popularity: Double
  /// The contribution of the field to the log-odds of a like. It is the same for all people.
  var appeal: Double
  /// The subfields that people in this field choose, all equally often.
  var subfields: [String]
  var skills: [String]
  /// The products, for the phrases "building ..." and "works on ...".
  var products: [String]
  /// The customers, for the phrase "for ...".
  var customers: [String]
  /// The first words of company names.
  var companyWords: [String]

  static let all: [BusinessField] = [
    BusinessField(
      name: "Technology", popularity: 24, appeal: 0.5,
      subfields: ["Software", "Hardware", "Data and AI", "Security"],
      skills: [
        "Swift", "Kotlin", "data engineering", "cloud operations", "machine learning", "product design",
      ],
      products: ["scheduling software", "developer tools", "a search engine for parts", "privacy tools"],
      customers: ["small workshops", "city councils", "repair shops", "hospitals"],
      companyWords: ["Byte", "Nimbus", "Kernel", "Lumen"]),
    BusinessField(
      name: "Finance", popularity: 16, appeal: 0.3,
      subfields: ["Banking", "Insurance", "Accounting"],
      skills: ["accounting", "risk models", "payments", "audit", "treasury", "financial planning"],
      products: ["invoice financing", "payment terminals", "savings plans", "credit scoring"],
      customers: ["freelancers", "family businesses", "farmers", "housing cooperatives"],
      companyWords: ["Ledger", "Meridian", "Tally", "Keystone"]),
    BusinessField(
      name: "Healthcare", popularity: 11, appeal: 0.2,
      subfields: ["Clinics", "Medical Devices", "Pharmacy"],
      skills: ["clinical trials", "nursing", "medical devices", "telemedicine", "health economics"],
      products: ["remote check-ups", "hearing aids", "ward planning", "rehabilitation devices"],
      customers: ["rural clinics", "care homes", "family doctors", "people with diabetes"],
      companyWords: ["Salus", "Vita", "Willow", "Caris"]),
    BusinessField(
      name: "Education", popularity: 9, appeal: 0.0,
      subfields: ["Schools", "Training"],
      skills: ["curriculum design", "teaching", "e-learning", "assessment", "language courses"],
      products: ["evening courses", "reading apps", "science kits", "apprenticeship programmes"],
      customers: ["primary schools", "adult learners", "apprentices", "universities"],
      companyWords: ["Lyceum", "Quill", "Abacus", "Beacon"]),
    BusinessField(
      name: "Retail", popularity: 9, appeal: -0.4,
      subfields: ["E-Commerce", "Food", "Fashion"],
      skills: ["merchandising", "e-commerce", "buying", "store operations", "customer service"],
      products: ["refill shops", "second-hand furniture", "a local marketplace", "school uniforms"],
      customers: ["young families", "students", "small towns", "commuters"],
      companyWords: ["Corner", "Basket", "Hazel", "Market"]),
    BusinessField(
      name: "Energy", popularity: 7, appeal: 0.35,
      subfields: ["Solar", "Heating", "Grids"],
      skills: ["solar planning", "grid operation", "heat pumps", "energy trading", "battery storage"],
      products: ["rooftop solar", "district heating", "battery storage", "heat pump maintenance"],
      customers: ["apartment blocks", "dairies", "municipalities", "hotels"],
      companyWords: ["Solis", "Volt", "Tidal", "Ember"]),
    BusinessField(
      name: "Manufacturing", popularity: 6, appeal: -0.15,
      subfields: ["Machinery", "Materials"],
      skills: ["CNC machining", "quality control", "lean production", "robotics", "purchasing"],
      products: ["precision gears", "recycled packaging", "bicycle frames", "ceramic coatings"],
      customers: ["machine builders", "breweries", "furniture makers", "shipyards"],
      companyWords: ["Forge", "Anvil", "Rivet", "Castor"]),
    BusinessField(
      name: "Real Estate", popularity: 5, appeal: -0.1,
      subfields: ["Development", "Management"],
      skills: ["valuation", "property management", "construction law", "leasing", "renovation"],
      products: ["co-working floors", "student housing", "warehouse conversions", "energy renovations"],
      customers: ["start-ups", "pension funds", "students", "first-time buyers"],
      companyWords: ["Gable", "Cornerstone", "Terrace", "Harbour"]),
    BusinessField(
      name: "Media", popularity: 5, appeal: 0.1,
      subfields: ["Publishing", "Film and Audio"],
      skills: ["editing", "video production", "copywriting", "community management", "podcasting"],
      products: ["local news", "audio guides", "documentaries", "subtitling"],
      customers: ["museums", "public broadcasters", "festivals", "publishers"],
      companyWords: ["Echo", "Lantern", "Folio", "Signal"]),
    BusinessField(
      name: "Hospitality", popularity: 4, appeal: -0.3,
      subfields: ["Hotels", "Restaurants"],
      skills: ["kitchen management", "event planning", "revenue management", "sommelier", "front office"],
      products: ["mountain huts", "canteens", "city hostels", "catering"],
      customers: ["hikers", "conference guests", "offices", "wedding parties"],
      companyWords: ["Olive", "Hearth", "Juniper", "Saffron"]),
    BusinessField(
      name: "Legal", popularity: 3, appeal: -0.6,
      subfields: ["Business Law", "Private Law"],
      skills: ["contract law", "patents", "employment law", "mediation", "data protection"],
      products: ["contract reviews", "patent searches", "mediation", "tenancy advice"],
      customers: ["founders", "works councils", "tenants", "exporters"],
      companyWords: ["Themis", "Scales", "Covenant", "Advocate"]),
    BusinessField(
      name: "Logistics", popularity: 3, appeal: -0.25,
      subfields: ["Transport", "Warehousing"],
      skills: ["route planning", "customs", "warehousing", "fleet management", "cold chain"],
      products: ["cargo bikes", "parcel lockers", "cold storage", "rail freight"],
      customers: ["grocers", "pharmacies", "online shops", "flower growers"],
      companyWords: ["Convoy", "Tramontane", "Ferry", "Waypoint"]),
  ]
}

/// A person's role in business.
enum Role: String, CaseIterable, Sendable {
  case entrepreneur, investor, professional

  /// The weight of the role in the draw of a person's role.
  var popularity: Double {
    switch self {
    case .entrepreneur: 40
    case .investor: 15
    case .professional: 45
    }
  }

  /// Returns the contribution to the log-odds of a like, if a person with this role sees a person with the
  /// role `other`. Founders look for money, and investors look for founders.
  func affinity(for other: Role) -> Double {
    switch (self, other) {
    case (.entrepreneur, .investor): 0.8
    case (.investor, .entrepreneur): 0.6
    case (.professional, .entrepreneur): 0.2
    case (.professional, .professional): 0.1
    case (.entrepreneur, .professional), (.investor, .investor): -0.2
    case (.investor, .professional): -0.4
    case (.entrepreneur, .entrepreneur), (.professional, .investor): 0
    }
  }
}
