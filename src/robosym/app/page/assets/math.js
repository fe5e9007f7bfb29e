// Typesets expressions of the listing, such as `W13*(a + b)/2`, in plain elements. Names are found by their data-v.
{
  const TOKEN = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|(\+-|\.\.|\S))/y;
  const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const SIGNS = { "-": "\u2212", "+-": "\u00b1", "..": "\u2026" };
  const FUNCTIONS = new Set("sin cos tan exp log tanh asin acos atan atan2 sign sqrt abs pow".split(" "));
  const SPOKEN = { asin: "arcsin", acos: "arccos", atan: "arctan" };
  // textbook symbols of joint angles, rates, accelerations, torques
  const LETTERS = { t: "\u03b8", QP: "q\u0307", QDP: "q\u0308", GAM: "\u0393" };
  const GREEK = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", theta: "θ", lambda: "λ", mu: "μ", sigma: "σ", tau: "τ", phi: "φ", psi: "ψ", omega: "ω" };
  const SPACE = "\u202f", NAME = /^([A-Za-z_]*[A-Za-z])_?(\d+(?:_\d+)?[A-Z]?)$/;
  robosym.escaped = (text) => text.replace(/[&<>"]/g, (c) => ESCAPES[c]);

  // W13 and ZZ2R have indices; names stay as in the listing, so that a search finds them in the code
  const listed = (name) => (name.match(NAME) || [name, name, ""]).slice(1);
  // t1 is theta 1, t1_2 is theta 1,2, and Px is an entry of a pose
  const asBook = (name) => {
    if (/^[snaP][xyz]$/.test(name)) return [name[0], name[1]];
    const [letters, index] = listed(name.replace(/^([A-Za-z]+\d+)_([A-Za-z0-9]+)$/, "$1"));
    const axis = name.match(/^[A-Za-z]+\d+_([A-Za-z0-9]+)$/);
    return [(index && LETTERS[letters]) || GREEK[letters] || letters, axis ? `${index},${axis[1]}` : index];
  };
  const spelled = (name, book, power = "") => {
    const [letters, index] = book ? asBook(name) : listed(name), one = [...letters.normalize("NFD").replace(/[\u0300-\u036f]/g, "")].length === 1;
    return `<span data-v="${name}">${one ? `<i>${letters}</i>` : letters}${index ? `<sub>${index}</sub>` : ""}${power && `<sup>${power}</sup>`}</span>`;
  };

  class Reader {
    constructor(text, book) {
      Object.assign(this, { book, at: 0, depth: 0, tokens: [] });
      TOKEN.lastIndex = 0;
      for (let found; (found = TOKEN.exec(text)); ) this.tokens.push(found);
    }
    get next() { return this.at < this.tokens.length ? this.tokens[this.at][0].trim() : ""; }
    take(sign) { return this.next === sign && Boolean(++this.at); }
    sum() {
      const terms = [];
      while (this.next && !")],".includes(this.next)) {
        const sign = ["+", "-", "+-", "="].includes(this.next) ? this.tokens[this.at++][3] : "";
        const term = this.product(), shown = SIGNS[sign] || sign;
        terms.push(!sign ? term : terms.length ? `${shown}\u00a0${term}` : sign === "+" ? term : shown + term);
      }
      return terms.join(" ");
    }
    product() {
      let factors = [this.factor()], below = [];
      while (this.next === "*" || this.next === "/") {
        const over = this.tokens[this.at++][3] === "/", factor = this.factor(), last = factors.at(-1);
        if (over) below.push(factor);
        else if (below.length) [factors, below] = [[{ html: this.over(factors, below) }, factor], []];
        else if (!factor.number && last.html === factor.html) last.power = (last.power || 1) + 1;
        else factors.push(factor);
      }
      return below.length ? this.over(factors, below) : this.times(factors);
    }
    factor() {
      if (this.at >= this.tokens.length) return { html: "" };
      const [, number, name, sign] = this.tokens[this.at++];
      let made = { html: SIGNS[sign] || robosym.escaped(sign || "") };
      if (number !== undefined) {
        const [mantissa, exponent] = number.toLowerCase().split("e");
        made = { html: exponent ? `${mantissa}\u00b710<sup>${String(+exponent).replace("-", "\u2212")}</sup>` : number, number: true };
      } else if (name === "Pi") made = { html: "<i>\u03c0</i>" };
      else if (name && this.next === "(" && FUNCTIONS.has(name)) made = { html: this.call(name) };
      else if (name) made = { html: spelled(name, this.book), name };
      else if (sign === "(") made = { html: `(${this.inside()})` };
      else if (sign === "-") made = { html: `\u2212${this.times([this.factor()])}` };
      if (this.take("^")) made = { html: this.times([{ ...made, power: this.factor().html }]) };
      return made;
    }
    inside() {
      this.depth++;
      const found = this.sum();
      this.depth--;
      this.take(")");
      return found;
    }
    call(name) {
      this.at++;
      const plain = !["sqrt", "abs", "pow", "atan2"].includes(name), [only, closing] = this.tokens.slice(this.at, this.at + 2);
      if (plain && only?.[2] && closing?.[0].trim() === ")") {  // sin t1 needs no parentheses
        this.at += 2;
        return `${SPOKEN[name] || name}${SPACE}${spelled(only[2], this.book)}`;
      }
      const given = [];
      this.depth++;
      do given.push(this.sum()); while (this.take(","));
      this.depth--;
      this.take(")");
      if (name === "sqrt") return `\u221a<span class="rad">${given[0]}</span>`;
      if (name === "abs") return `|${given[0]}|`;
      if (name === "pow" && given.length === 2) return `(${given[0]})<sup>${given[1]}</sup>`;
      return `${SPOKEN[name] || name}(${given.join(", ")})`;
    }
    times(factors) {
      const parts = factors.map((one) => ({ ...one, html: !one.power ? one.html : one.name ? spelled(one.name, this.book, one.power) : `${one.html}<sup>${one.power}</sup>` }));
      parts.sort((a, b) => Boolean(b.number) - Boolean(a.number));  // numbers first
      return parts.map((one, place) => (place ? (one.number ? " \u00b7 " : SPACE) : "") + one.html).join("");
    }
    // only outer fractions are stacked, so that parentheses are at most one line high
    over(factors, below) {
      const [top, bottom] = [factors, below].map((some) => this.times(some));
      if (!this.depth) return `<span class="fr"><span>${top}</span><span>${bottom}</span></span>`;
      return `${top}/${below.length > 1 ? `(${bottom})` : bottom}`;
    }
  }
  // the HTML of an expression; `book` selects textbook names instead of those of the code
  robosym.math = (text, book = false) => `<span class="math">${new Reader(text, book).sum()}</span>`;
  // rows of expressions as a matrix
  robosym.matrix = (rows) => {
    const cells = rows.map((row) => `<tr>${row.map((one) => `<td>${robosym.math(one)}</td>`).join("")}</tr>`);
    return `<table class="bm"><tbody>${cells.join("")}</tbody></table>`;
  };
}
