internal import Concurrency

/// The first and last names of a language. Synthetic people have random pairs of these names.
enum NameStyle: CaseIterable, Sendable {
  case english, irish, french, dutch, german, spanish, portuguese, italian, greek, bulgarian, romanian
  case croatian, hungarian, czech, polish, baltic, nordic, finnish, icelandic

  /// Draws a full name as people enter it in an app. Some names have titles after a comma, nicknames in
  /// quotes, double names, or letters with combining marks.
  func fullName(using generator: inout SplitMix64) -> String {
    let first = generator.pick(firstNames)
    let last = generator.pick(lastNames)
    return switch generator.nextUnit() {
    case ..<0.02: "\(first) \(last), \(generator.pick(["PhD", "MBA", "MSc", "Dr.-Ing."]))"
    case ..<0.03: "\(first) \"\(generator.pick(Self.nicknames))\" \(last)"
    case ..<0.07: "\(first) \(last)-\(generator.pick(lastNames))"
    case ..<0.09: "\(first) \(generator.pick(["A.", "J.", "M.", "K."])) \(last)"
    default: "\(first) \(last)"
    }
  }

  private static let nicknames = ["Max", "Bobby", "Kit", "Jo", "Ace", "Lou"]

  private var firstNames: [String] {
    switch self {
    case .english:
      ["Amelia", "Oliver", "Priya", "George", "Zoë", "Harriet", "Imran", "Chloe", "Edward", "Grace", "Tunde"]
    case .irish:
      ["Aoife", "Cillian", "Niamh", "Seán", "Róisín", "Pádraig", "Sinéad", "Conor", "Méabh", "Ruairí"]
    case .french:
      ["Élodie", "François", "Camille", "Jérôme", "Chloé", "Benoît", "Anaïs", "Loïc", "Hélène", "Mathis"]
    case .dutch:
      ["Sanne", "Daan", "Fleur", "Joris", "Anouk", "Thijs", "Maaike", "Bram", "Noor", "Ruben"]
    case .german:
      ["Jürgen", "Annika", "Björn", "Käthe", "Matthias", "Leonie", "Sören", "Friederike", "Emre", "Nadja"]
    case .spanish:
      // The second José has a combining accent.
      ["José", "Jose\u{301}", "Lucía", "Íñigo", "Martina", "Álvaro", "Begoña", "Nerea", "Joaquín", "Inés"]
    case .portuguese:
      ["João", "Inês", "Tomás", "Conceição", "Rui", "Beatriz", "Gonçalo", "Mafalda", "Ana", "Luís"]
    case .italian:
      [
        "Giulia", "Niccolò", "Chiara", "Matteo", "Ilaria", "Andrea", "Fabrizio", "Marta", "Luca",
        "Zoe\u{308}",
      ]
    case .greek:
      ["Ελένη", "Γιώργος", "Μαρία", "Νίκος", "Katerina", "Dimitris", "Σοφία", "Stavros", "Ioanna", "Ανδρέας"]
    case .bulgarian:
      ["Иван", "Мария", "Георги", "Elena", "Dimitar", "Ралица", "Stoyan", "Надежда", "Borislav", "Yana"]
    case .romanian:
      ["Ștefan", "Ioana", "Andrei", "Mihaela", "Răzvan", "Ana", "Cătălin", "Ilinca", "Vlad", "Anca"]
    case .croatian:
      ["Željka", "Ivan", "Mirna", "Hrvoje", "Petra", "Šime", "Jasna", "Tomislav", "Dora", "Luka"]
    case .hungarian:
      ["Zsófia", "Gergő", "Réka", "László", "Ágnes", "Bálint", "Eszter", "Ödön", "Kinga", "Máté"]
    case .czech:
      ["Jiří", "Kateřina", "Tomáš", "Žofie", "Ondřej", "Běla", "Vojtěch", "Šárka", "Radek", "Ľubica"]
    case .polish:
      [
        "Łukasz", "Małgorzata", "Wojciech", "Zofia", "Jędrzej", "Agnieszka", "Paweł", "Kinga", "Michał",
        "Ewa",
      ]
    case .baltic:
      ["Jānis", "Ilze", "Mārtiņš", "Kristīne", "Toomas", "Rūta", "Andris", "Eglė", "Žygimantas", "Līga"]
    case .nordic:
      ["Åsa", "Søren", "Ingrid", "Jørgen", "Freja", "Håkon", "Linnéa", "Magnus", "Bjørn", "Astrid"]
    case .finnish:
      ["Päivi", "Jyrki", "Aino", "Mikko", "Hilkka", "Väinö", "Sanna", "Tero", "Outi", "Eero"]
    case .icelandic:
      ["Guðrún", "Þór", "Sigríður", "Ólafur", "Æsa", "Björk", "Einar", "Hrafnhildur", "Már", "Ásta"]
    }
  }

  private var lastNames: [String] {
    switch self {
    case .english:
      [
        "Hughes", "Patel", "Whitfield", "Okafor", "Ashworth", "Khan", "D'Arcy", "Marsh", "St. John",
        "Pembroke",
      ]
    case .irish:
      ["O'Brien", "O’Sullivan", "Ní Dhomhnaill", "McCarthy", "Ó Súilleabháin", "Byrne", "O'Neill", "Keane"]
    case .french:
      [
        "Lefèvre", "d'Aubigné", "Garnier", "L’Hermitte", "Bérenger", "Moreau", "Noël", "de la Tour",
        "Chauvet",
      ]
    case .dutch:
      [
        "van den Berg", "de Vries", "'t Hart", "Bakker", "van 't Hof", "Jansen", "Peeters", "Claes",
        "IJzerman",
      ]
    case .german:
      [
        "Müller", "Weiß", "Schröder", "von Thalheim", "Krüger", "Yılmaz", "Bachmann", "Jäger", "Größl",
        "Huber",
      ]
    case .spanish:
      ["García López", "Núñez", "Ibáñez Soler", "Muñoz", "Etxeberria", "Peña", "Domínguez", "Vidal i Roca"]
    case .portuguese:
      ["Gonçalves", "da Conceição", "Simões", "Magalhães", "dos Santos", "Falcão", "Brandão", "Teles"]
    case .italian:
      ["D'Angelo", "Dell’Acqua", "Ferraris", "Conti", "Lo Presti", "Zammit", "Borgè", "De Santis", "Vella"]
    case .greek:
      ["Παπαδοπούλου", "Georgiou", "Οικονόμου", "Vassiliou", "Καραγιάννης", "Makris", "Χριστοδούλου"]
    case .bulgarian:
      ["Петрова", "Иванов", "Dimitrova", "Колев", "Todorov", "Стоянова", "Angelov", "Маринова"]
    case .romanian:
      ["Ionescu", "Țurcanu", "Brâncoveanu", "Pârvu", "Munteanu", "Lupșa", "Dumitrașcu", "Voicu"]
    case .croatian:
      ["Horvat", "Babić", "Šimić", "Đurđević", "Kovačević", "Jurić", "Perić", "Žanić"]
    case .hungarian:
      ["Szabó", "Kővári", "Nagy", "Tóth", "Fekete", "Szűcs", "Halász", "Béres"]
    case .czech:
      ["Dvořák", "Němcová", "Růžička", "Svobodová", "Čapková", "Kříž", "Horáková", "Šťastný"]
    case .polish:
      ["Wiśniewska", "Kowalczyk", "Żółkiewski", "Dąbrowska", "Jabłoński", "Śliwa", "Pięta", "Zając"]
    case .baltic:
      ["Bērziņš", "Kazlauskienė", "Tamm", "Ozola", "Šķēle", "Põld", "Žukauskas", "Liepiņa"]
    case .nordic:
      ["Ødegård", "Lindström", "Sørensen", "Åkesson", "Bjørnstad", "Hedlund", "Nygaard", "Öberg", "Kjær"]
    case .finnish:
      ["Mäkinen", "Hämäläinen", "Korhonen", "Järvelä", "Nieminen", "Ylönen", "Rautio", "Sjöblom"]
    case .icelandic:
      ["Jónsdóttir", "Þórsson", "Guðmundsdóttir", "Einarsson", "Sævarsdóttir", "Árnason", "Briem"]
    }
  }
}
