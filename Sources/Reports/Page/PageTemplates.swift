/// The Mustache templates of all pages. They are part of the program, so that it needs no additional files.
///
/// The templates have no white space between tags where a browser would show an unwanted space.
enum PageTemplates {
  static let all: [String: String] = [
    "page": page, "block": block, "table": table, "chart": chart, "words": words, "plain": plain,
  ]

  private static let page = """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="{{policy}}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <meta name="referrer" content="no-referrer" />
    <title>{{title}}</title>
    {{#hasFeed}}
    <link rel="alternate" type="application/atom+xml" title="{{title}}" href="{{feed}}" />
    {{/hasFeed}}
    <style>{{{style}}}</style>
    </head>
    <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header>
    <p class="kind">{{kind}}</p>
    <h1>{{heading}}</h1>
    <p class="subtitle">{{#subtitle}}{{>words}}{{/subtitle}}</p>
    </header>
    <main id="content">
    <section class="verdict {{mark}}" aria-labelledby="verdict">
    <h2 id="verdict">{{question}} <span class="mark">{{answer}}</span></h2>
    <p class="sentence">{{#verdict}}{{>words}}{{/verdict}}</p>
    </section>
    {{#hasAnswers}}
    <div class="answers">
    {{#answers}}
    <section class="answer {{mark}}" aria-labelledby="{{id}}">
    <h2 id="{{id}}">{{question}} <span class="mark">{{answer}}</span></h2>
    {{#isList}}
    <ul>
    {{#sentences}}
    <li>{{#sentence}}{{>words}}{{/sentence}}</li>
    {{/sentences}}
    </ul>
    {{/isList}}
    {{^isList}}
    {{#sentences}}
    <p>{{#sentence}}{{>words}}{{/sentence}}</p>
    {{/sentences}}
    {{/isList}}
    </section>
    {{/answers}}
    </div>
    {{/hasAnswers}}
    {{#hasChecks}}
    <ul class="checks">
    {{#checks}}
    <li class="{{mark}}{{#isLinked}} linked{{/isLinked}}">
    <p class="check-title">{{title}} <span class="mark">{{markWord}}</span></p>
    <p class="check-figure">{{#figure}}{{>words}}{{/figure}}</p>
    <p class="check-meaning">{{#meaning}}{{>words}}{{/meaning}}</p>
    </li>
    {{/checks}}
    </ul>
    {{/hasChecks}}
    {{#hasContents}}
    <nav aria-label="Sections">
    <ol>
    {{#sections}}
    <li><a href="#{{id}}">{{title}}</a></li>
    {{/sections}}
    </ol>
    </nav>
    {{/hasContents}}
    {{#sections}}
    <section aria-labelledby="{{id}}">
    <h2 id="{{id}}"><span class="ordinal">{{number}}</span> {{title}}</h2>
    {{#blocks}}
    {{>block}}
    {{/blocks}}
    </section>
    {{/sections}}
    </main>
    <footer><p>{{#footer}}{{>words}}{{/footer}}</p></footer>
    </body>
    </html>

    """

  private static let block = """
    {{#isParagraph}}
    <p>{{#words}}{{>words}}{{/words}}</p>
    {{/isParagraph}}
    {{#isHeading}}
    <h3>{{#words}}{{>words}}{{/words}}</h3>
    {{/isHeading}}
    {{#isNote}}
    <p class="note">{{#words}}{{>words}}{{/words}}</p>
    {{/isNote}}
    {{#isList}}
    <ul>
    {{#items}}
    <li>{{#words}}{{>words}}{{/words}}</li>
    {{/items}}
    </ul>
    {{/isList}}
    {{#isDefinitions}}
    <dl>
    {{#items}}
    <dt>{{#term}}{{>words}}{{/term}}</dt>
    <dd>{{#meaning}}{{>words}}{{/meaning}}</dd>
    {{/items}}
    </dl>
    {{/isDefinitions}}
    {{#isTable}}
    {{>table}}
    {{/isTable}}
    {{#isFigure}}
    {{>chart}}
    {{/isFigure}}
    {{#isDetails}}
    <details>
    <summary>{{#words}}{{>words}}{{/words}}</summary>
    {{#inner}}
    {{>block}}
    {{/inner}}
    </details>
    {{/isDetails}}

    """

  /// The template of a table. Its ARIA roles are explicit, because the style sheet lays out rows as blocks on
  /// a phone. Without the roles, a screen reader would not recognize the table.
  private static let table = """
    <table role="table"{{#isWide}} class="stacks"{{/isWide}}>
    <caption>{{#caption}}{{>words}}{{/caption}}</caption>
    <thead role="rowgroup">
    <tr role="row">{{#columns}}<th role="columnheader" scope="col"{{#isNumber}} class="number"{{/isNumber}}>{{title}}</th>{{/columns}}</tr>
    </thead>
    <tbody role="rowgroup">
    {{#rows}}
    <tr role="row">{{#cells}}{{#isHeader}}<th role="rowheader" scope="row">{{/isHeader}}{{^isHeader}}<td role="cell" data-label="{{label}}"{{#isNumber}} class="number"{{/isNumber}}>{{/isHeader}}<span class="value">{{#words}}{{>words}}{{/words}}</span>{{#hasBelow}}<span class="below">{{#below}}{{>words}}{{/below}}</span>{{/hasBelow}}{{#isHeader}}</th>{{/isHeader}}{{^isHeader}}</td>{{/isHeader}}{{/cells}}</tr>
    {{/rows}}
    </tbody>
    </table>

    """

  private static let chart = """
    <figure>
    <figcaption>{{#title}}{{>words}}{{/title}}</figcaption>
    {{#drawings}}
    <div class="drawing {{layout}}"><svg role="img" aria-labelledby="{{id}}-title {{id}}-description" width="{{width}}" height="{{height}}" viewBox="0 0 {{width}} {{height}}"><title id="{{id}}-title">{{#title}}{{>plain}}{{/title}}</title><desc id="{{id}}-description">{{#description}}{{>plain}}{{/description}}</desc>{{{markup}}}</svg></div>
    {{/drawings}}
    <details{{#isTableOpen}} open{{/isTableOpen}}>
    <summary>The numbers of this chart</summary>
    {{>table}}
    </details>
    </figure>

    """

  private static let words = """
    {{#isStrong}}<strong>{{/isStrong}}{{#pieces}}{{#isText}}{{text}}{{/isText}}{{#isFigure}}<data value="{{value}}">{{text}}</data>{{/isFigure}}{{#isCode}}<code>{{text}}</code>{{/isCode}}{{#isLink}}<a href="{{value}}">{{text}}</a>{{/isLink}}{{#isTime}}<time datetime="{{value}}">{{text}}</time>{{/isTime}}{{/pieces}}{{#isStrong}}</strong>{{/isStrong}}
    """

  /// The text without HTML elements, for places that allow only text.
  private static let plain = "{{#pieces}}{{text}}{{/pieces}}"
}
