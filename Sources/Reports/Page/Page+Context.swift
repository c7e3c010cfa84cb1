// A context contains the values that a Mustache template inserts. Each context sets all flags of its
// template, because Mustache looks up a missing key in the enclosing contexts.

extension Words {
  var context: [String: Any] {
    ["isStrong": isStrong, "pieces": pieces.map(\.context)]
  }
}

extension Words.Piece {
  fileprivate var context: [String: Any] {
    var context: [String: Any] = [
      "isText": false, "isFigure": false, "isCode": false, "isLink": false, "isTime": false, "value": "",
    ]
    switch self {
    case .text(let text): (context["isText"], context["text"]) = (true, text)
    case .code(let text): (context["isCode"], context["text"]) = (true, text)
    case .figure(let figure):
      (context["isFigure"], context["text"], context["value"]) = (true, figure.text, figure.value)
    case .link(let text, let address):
      (context["isLink"], context["text"], context["value"]) = (true, text, address)
    case .time(let text, let value):
      (context["isTime"], context["text"], context["value"]) = (true, text, value)
    }
    return context
  }
}

extension Page.Check {
  var context: [String: Any] {
    [
      "mark": mark.rawValue, "markWord": mark.word, "title": title, "figure": figure.context,
      "meaning": meaning.context, "isLinked": figure.isLink,
    ]
  }
}

extension Page.Answer {
  var context: [String: Any] {
    [
      "id": id, "mark": mark.rawValue, "question": question, "answer": answer,
      "isList": sentences.count > 1,
      "sentences": sentences.map { ["sentence": $0.context] as [String: Any] },
    ]
  }
}

extension Section {
  func context(number: Int) -> [String: Any] {
    ["id": id, "title": title, "number": number, "blocks": blocks.map(\.context)]
  }
}

extension Block {
  fileprivate var context: [String: Any] {
    var context: [String: Any] = [
      "isParagraph": false, "isHeading": false, "isNote": false, "isList": false, "isDefinitions": false,
      "isTable": false, "isFigure": false, "isDetails": false,
    ]
    switch self {
    case .paragraph(let words): (context["isParagraph"], context["words"]) = (true, words.context)
    case .heading(let words): (context["isHeading"], context["words"]) = (true, words.context)
    case .note(let words): (context["isNote"], context["words"]) = (true, words.context)
    case .list(let items):
      context["isList"] = true
      context["items"] = items.map { ["words": $0.context] as [String: Any] }
    case .definitions(let items):
      context["isDefinitions"] = true
      context["items"] = items.map {
        ["term": $0.term.context, "meaning": $0.meaning.context] as [String: Any]
      }
    case .table(let table):
      context.merge(table.context) { _, new in new }
      context["isTable"] = true
    case .figure(let figure):
      context.merge(figure.context) { _, new in new }
      context["isFigure"] = true
    case .details(let words, let inner):
      (context["isDetails"], context["words"]) = (true, words.context)
      context["inner"] = inner.map(\.context)
    }
    return context
  }
}

extension Table {
  fileprivate var context: [String: Any] {
    [
      // A table of up to three columns fits on a phone.
      "isWide": columns.count > 3, "caption": caption.context,
      "columns": columns.map { ["title": $0.title, "isNumber": $0.isNumber] as [String: Any] },
      "rows": rows.map { cells in
        [
          "cells": zip(cells, columns).enumerated().map { index, cell in
            [
              "isHeader": index == 0, "label": cell.1.title, "isNumber": cell.1.isNumber,
              "words": cell.0.words.context, "hasBelow": !cell.0.below.isEmpty, "below": cell.0.below.context,
            ] as [String: Any]
          }
        ] as [String: Any]
      },
    ]
  }
}

extension ChartFigure {
  fileprivate var context: [String: Any] {
    let drawings = ChartLayout.allCases.map { layout in
      let drawing = chart.drawing(layout)
      return [
        "layout": layout.rawValue, "id": "\(name)-\(layout.rawValue)", "width": drawing.width,
        "height": drawing.height, "markup": drawing.markup,
      ] as [String: Any]
    }
    var context = table.context
    context["title"] = title.context
    context["description"] = description.context
    context["drawings"] = drawings
    context["isTableOpen"] = isTableOpen
    return context
  }
}
