/// The style of all pages, for screens, phones and paper. A page is one column of text. Its colors follow the
/// light or dark mode of the reader's system.
///
/// Text colors have a contrast of at least 4.5 to 1 with their background, in both schemes.
enum Stylesheet {
  static let text = """

    :root {
      color-scheme: light dark;
      --paper: #ffffff; --panel: #f6f7f9; --ink: #1b1f24; --faint: #57606a; --line: #d5dae0; --link: #0b57a4;
      --good: #1a6b34; --good-panel: #eaf6ed; --attention: #8a4b00; --attention-panel: #fff4e2;
      --bad: #b0161b; --bad-panel: #fdecec; --unknown: #4a5461; --unknown-panel: #eef1f4;
      --series-1: #1f5fa8; --series-2: #b3530b; --series-3: #2c7a51; --series-4: #8a3d96;
      --series-5: #6b6f15; --series-6: #6a737d; --series-soft: #9dbfe4; --grid: #e3e7eb;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #14171a; --panel: #1d2226; --ink: #e7eaed; --faint: #a4adb6; --line: #3a424a; --link: #82bbf5;
        --good: #79d193; --good-panel: #16291c; --attention: #f0b566; --attention-panel: #2f2412;
        --bad: #ff9b96; --bad-panel: #351a1b; --unknown: #b5bec8; --unknown-panel: #22282e;
        --series-1: #79b4f2; --series-2: #f0a05a; --series-3: #72c795; --series-4: #d79be0;
        --series-5: #cdd067; --series-6: #a9b2bb; --series-soft: #345d87; --grid: #2b3137;
      }
    }
    * { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-padding-top: 1rem; }
    body {
      margin: 0 auto; max-width: 54rem; padding: 1.5rem 1.25rem 3rem; background: var(--paper); color: var(--ink);
      font: 1rem/1.55 system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", "Liberation Sans", sans-serif;
      overflow-wrap: break-word;
    }
    a { color: var(--link); text-underline-offset: .15em; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    .skip { position: absolute; left: -100vw; }
    .skip:focus { position: static; }
    h1 { font-size: 1.9rem; line-height: 1.2; margin: 0; letter-spacing: -.01em; overflow-wrap: anywhere; }
    h2 { font-size: 1.35rem; line-height: 1.3; margin: 3rem 0 .75rem; padding-top: 1rem; border-top: 1px solid var(--line); }
    h3 { font-size: 1.05rem; margin: 2rem 0 .5rem; overflow-wrap: anywhere; }
    p, ul, ol, dl, table, figure, details { margin: 0 0 1rem; }
    p, li, dd { max-width: 44rem; }
    .kind { margin: 0; color: var(--faint); font-size: .9rem; letter-spacing: .04em; text-transform: uppercase; }
    .subtitle { margin: .25rem 0 1.25rem; color: var(--faint); }
    .ordinal { color: var(--faint); font-weight: 400; font-variant-numeric: tabular-nums; }
    code { font: .9em ui-monospace, "Cascadia Mono", "Liberation Mono", monospace; overflow-wrap: anywhere; }
    data { font-variant-numeric: tabular-nums; }

    time { white-space: nowrap; }
    .verdict { border-radius: .5rem; border-left: .35rem solid; padding: 1rem 1.25rem; }
    .verdict h2 { margin: 0 0 .35rem; padding: 0; border: 0; font-size: 1rem; font-weight: 600; }
    .verdict .sentence { font-size: 1.2rem; line-height: 1.45; margin: 0; }
    .answers { display: grid; gap: .75rem; margin-top: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); }
    .answer { background: var(--panel); border-radius: .5rem; padding: .75rem 1.25rem; }
    .answer h2 { margin: 0 0 .25rem; padding: 0; border: 0; font-size: 1rem; font-weight: 600; }
    .answer p, .answer ul { margin: 0; line-height: 1.45; }
    .answer ul { padding-left: 1.1rem; }
    .verdict.good { background: var(--good-panel); border-color: var(--good); }
    .verdict.attention { background: var(--attention-panel); border-color: var(--attention); }
    .verdict.bad { background: var(--bad-panel); border-color: var(--bad); }
    .verdict.unknown { background: var(--unknown-panel); border-color: var(--unknown); }
    .good > * > .mark { color: var(--good); }
    .attention > * > .mark { color: var(--attention); }
    .bad > * > .mark { color: var(--bad); }
    .unknown > * > .mark { color: var(--unknown); }
    .mark { font-weight: 600; white-space: nowrap; }

    .checks {
      list-style: none; padding: 0; margin: 1rem 0 1.5rem; display: grid; gap: .75rem;
      grid-template-columns: repeat(auto-fit, minmax(min(100%, 15rem), 1fr));
    }
    .checks li { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem; max-width: none; }
    .checks p { margin: 0; max-width: none; }
    .checks .linked { position: relative; }
    .linked .check-figure a::after { content: ""; position: absolute; inset: 0; border-radius: .5rem; }
    .linked:hover { outline: 1px solid var(--link); }
    .check-title { display: flex; justify-content: space-between; gap: .5rem; font-size: .85rem; color: var(--faint); }
    .check-figure { font-size: 1.45rem; line-height: 1.35; font-weight: 600; }
    .check-meaning { font-size: .875rem; line-height: 1.45; color: var(--faint); }

    nav { margin-top: 1.25rem; }
    nav ol {
      list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; font-size: .9rem;
    }

    table { border-collapse: collapse; width: 100%; font-size: .9rem; line-height: 1.4; }
    caption { text-align: left; color: var(--faint); padding: 0 0 .5rem; font-size: .9rem; }
    th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
    th:first-child, td:first-child { padding-left: 0; }
    th:last-child, td:last-child { padding-right: 0; }
    thead th { border-bottom: 2px solid var(--line); color: var(--faint); font-weight: 600; vertical-align: bottom; }
    tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 5.5rem; }
    tbody th code { overflow-wrap: break-word; }
    .number { text-align: right; }
    td.number, th.number { font-variant-numeric: tabular-nums; }
    td.number .value { white-space: nowrap; }
    .below { display: block; color: var(--faint); font-size: .82rem; white-space: nowrap; }
    tbody th .below, td:not(.number) .below { white-space: normal; }

    figure { margin: 1.5rem 0; }
    figcaption { font-weight: 600; margin-bottom: .5rem; }
    .drawing svg { display: block; max-width: 100%; height: auto; }
    .drawing svg text { font-family: "Helvetica Neue", Helvetica, Arial, "Liberation Sans", sans-serif; }
    .drawing.narrow { display: none; }
    details { font-size: .95rem; }
    summary { cursor: pointer; color: var(--link); padding: .15rem 0; }
    details[open] > summary { margin-bottom: .75rem; }
    .note { background: var(--panel); border-left: .25rem solid var(--line); padding: .6rem .9rem; border-radius: .25rem; }
    dt { font-weight: 600; margin-top: .6rem; }
    dd { margin: 0; color: var(--ink); }
    footer { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1rem; color: var(--faint); font-size: .875rem; }

    @media screen and (max-width: 42rem) {
      body { padding: 1rem 1rem 2rem; }
      h1 { font-size: 1.55rem; }
      h2 { margin-top: 2.25rem; }
      .verdict .sentence { font-size: 1.08rem; }
      .drawing.wide { display: none; }
      .drawing.narrow { display: block; }
      table.stacks, .stacks tbody, .stacks tr, .stacks td, .stacks th, .stacks caption { display: block; }
      .stacks thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
      .stacks tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
      .stacks th, .stacks td { border: 0; padding: .12rem 0; text-align: left; }
      .stacks tbody th { font-weight: 600; }
      .stacks tbody th .below { font-weight: 400; }
      tbody th code { overflow-wrap: anywhere; }
      .stacks td { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 .75rem; }
      .stacks td::before { content: attr(data-label); color: var(--faint); grid-row: span 2; }
      .stacks td > span { grid-column: 2; text-align: right; white-space: normal; }
      .stacks td:not(.number) { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
      .below { white-space: normal; }
    }
    @media print {
      @page { margin: 18mm 16mm; }
      :root { --panel: #ffffff; }
      html { font-size: 10pt; }
      body { max-width: none; padding: 0; }
      nav, .skip { display: none; }
      .verdict, .answer, .checks li, .note { border: 1px solid var(--line); border-left-width: .35rem; }
      h2 { break-after: avoid; margin-top: 1.5rem; }
      h3, figcaption, caption { break-after: avoid; }
      figure, tr, .checks li, .verdict, .answer { break-inside: avoid; }
      thead { display: table-header-group; }
      details > summary { color: inherit; }
      details::details-content { content-visibility: visible; display: block; block-size: auto; }
      a { color: inherit; text-decoration: none; }
    }
    @media print and (prefers-color-scheme: dark) {
      :root {
        --paper: #ffffff; --panel: #ffffff; --ink: #1b1f24; --faint: #57606a; --line: #d5dae0;
        --good: #1a6b34; --good-panel: #eaf6ed; --attention: #8a4b00; --attention-panel: #fff4e2;
        --bad: #b0161b; --bad-panel: #fdecec; --unknown: #4a5461; --unknown-panel: #eef1f4;
        --series-1: #1f5fa8; --series-2: #b3530b; --series-3: #2c7a51; --series-4: #8a3d96;
        --series-5: #6b6f15; --series-6: #6a737d; --series-soft: #9dbfe4; --grid: #e3e7eb;
      }
    }

    """
}
