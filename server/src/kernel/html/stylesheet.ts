import { FORM_STYLE } from "./form/form-style.ts";
import { TOKENS } from "./tokens.ts";

/** The inline stylesheet of server-rendered pages. The content security policy contains its hash. */
export const STYLESHEET = `
${TOKENS}
:root {
  color-scheme: light dark;
  --accent: var(--water);
  --main: var(--ink);
  --on-main: var(--on-ink);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  min-height: 100vh;
  padding: clamp(1.25rem, 8vh, 5rem) 1rem 2rem;
  background: var(--bg);
  color: var(--ink);
  font: 1rem/1.5 var(--font);
}
header, main { width: 100%; max-width: 27rem; margin: 0 auto; }
header {
  display: flex;
  align-items: center;
  gap: .6rem;
  margin-bottom: 1rem;
  font-weight: 650;
  letter-spacing: .01em;
}
main {
  padding: clamp(1.25rem, 5vw, 2rem);
  background: var(--surface);
  border: 1px solid var(--line);
  border-radius: .75rem;
  overflow-wrap: anywhere;
}
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; text-wrap: balance; }
p { margin: 0 0 1rem; }
a { color: var(--accent); }
strong { font-weight: 650; }
.faint { color: var(--ink-3); font-size: .875rem; }
main > :last-child { margin-bottom: 0; }
form { margin: 1.25rem 0 0; }
label { display: block; margin-bottom: .25rem; font-weight: 500; }
${FORM_STYLE}
form > :is(input, select, textarea) { margin-bottom: 1rem; }
.hint { margin: -.75rem 0 1rem; }
fieldset p { margin: .25rem 0; }
fieldset p label { display: flex; align-items: center; gap: .5rem; font-weight: 400; }
button {
  width: 100%;
  padding: .5rem 1rem;
  font: inherit;
  font-weight: 500;
  color: var(--on-main);
  background: var(--main);
  border: 1px solid var(--main);
  border-radius: .375rem;
  cursor: pointer;
}
.buttons button { flex: 1; }
a.button {
  display: inline-block;
  padding: .5rem 1rem;
  font-weight: 500;
  color: var(--on-main);
  background: var(--main);
  border-radius: .375rem;
  text-decoration: none;
}
a.button:hover { background: color-mix(in oklab, var(--main) 88%, var(--accent)); }
.decision { display: flex; flex-wrap: wrap; gap: 1.5rem; margin-top: 1rem; }
.decision button { flex: 1; min-width: 8rem; }
button.no { color: var(--bad); background: transparent; border-color: var(--bad); }
button.no:hover { background: var(--bad-soft); }
button.second { color: var(--ink); background: transparent; border-color: var(--edge); }
.offers { display: grid; gap: .5rem; }
.offers button { font-weight: 500; text-align: start; }
[role=log] { display: grid; gap: .75rem; }
.turn { width: fit-content; max-width: 88%; margin: 0; padding: .55rem .85rem; border: 1px solid var(--line); border-radius: .75rem .75rem .75rem .2rem; }
.turn.you { justify-self: end; background: var(--bg); border-color: transparent; border-radius: .75rem .75rem .2rem .75rem; }
.turn p { margin: 0 0 .5rem; white-space: pre-line; }
.turn .faint { margin: 0 0 .1rem; font-size: .8125rem; }
.turn ul, .turn ol { margin: 0 0 .5rem; padding-left: 1.3rem; list-style: revert; border: 0; border-radius: 0; }
.turn li { padding: 0; border: 0; }
.turn pre { max-width: 100%; overflow-x: auto; margin: 0 0 .5rem; padding: .5rem .7rem; background: var(--bg); border-radius: .4rem; font: .8125rem/1.5 var(--mono); }
body:not(.wide) .turn code { display: inline; padding: .05rem .3rem; background: var(--bg); border-radius: .3rem; color: inherit; overflow-wrap: anywhere; }
.turn > :last-child { margin: 0; }
#live { margin-top: .75rem; }
.composer { display: flex; flex-wrap: wrap; gap: .6rem; align-items: end; }
.composer label { flex: 1 1 14rem; margin: 0; }
.composer textarea { margin: .25rem 0 0; vertical-align: bottom; }
.composer button { width: auto; }
button:hover { background: color-mix(in oklab, var(--main) 88%, var(--accent)); }
button.second:hover { background: color-mix(in oklab, var(--ink) 5%, transparent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.choice { display: grid; grid-template-columns: 1fr 1fr; gap: .75rem; }
.or { margin: 1rem 0 0; text-align: center; }
dl { margin: 1rem 0; display: grid; grid-template-columns: auto 1fr; gap: .25rem 1rem; }
dt { color: var(--ink-3); }
dd { margin: 0; }
ul { margin: .5rem 0 1rem; padding: 0; list-style: none; border: 1px solid var(--line); border-radius: .5rem; }
li { padding: .6rem .85rem; }
li + li { border-top: 1px solid var(--line); }
body:not(.wide) code { display: block; color: var(--ink-3); font: .8125rem/1.4 var(--mono); }
.wide { padding-top: 1rem; }
.wide header, .wide main { max-width: 68rem; }
.wide header { flex-wrap: wrap; justify-content: space-between; margin-bottom: clamp(1rem, 4vh, 2.5rem); }
.wide main { padding: 0; background: none; border: 0; }
.wide h1 { font-size: clamp(1.5rem, 1.2rem + 1.4vw, 2.125rem); letter-spacing: -.015em; }
.wide h2 { margin: 0 0 .75rem; font-size: 1.0625rem; }
.brand { display: inline-flex; align-items: center; gap: .6rem; color: inherit; text-decoration: none; }
.menu { display: flex; align-items: center; gap: .25rem 1rem; margin: 0; font-weight: 400; font-size: .9375rem; }
.menu button { width: auto; padding: .35rem .8rem; font-weight: 500; }
.lead { max-width: 40rem; margin-bottom: 2rem; color: var(--ink-3); font-size: 1.0625rem; }
.halves { display: grid; gap: 1.5rem 3rem; align-items: start; }
@media (min-width: 52rem) { .halves { grid-template-columns: minmax(0, 24rem) minmax(0, 1fr); } }
.sheet { padding: clamp(1.25rem, 3vw, 1.75rem); background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; }
.sheet > :last-child, .sheet form > :last-child { margin-bottom: 0; }
.sheet form { margin-top: 0; }
.group { margin-bottom: 2.25rem; }
.group > h2 { color: var(--ink-3); font-size: .8125rem; font-weight: 600; letter-spacing: .06em; text-transform: uppercase; }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)); margin: 0; border: 0; }
.cards li { display: flex; padding: 0; border: 0; }
.tile { flex: 1; padding: 1rem 1.125rem; color: inherit; text-decoration: none; background: var(--surface); border: 1px solid var(--line); border-radius: .75rem; }
.tile:hover { border-color: var(--accent); }
.tile strong { display: block; color: var(--accent); }
.tile span { color: var(--ink-3); font-size: .875rem; }
footer { max-width: 68rem; margin: 3rem auto 0; color: var(--ink-3); font-size: .8125rem; }
.text { max-width: 50rem; }
.text h2 { margin: 2rem 0 .5rem; font-size: 1.25rem; }
.text h3 { margin: 1.5rem 0 .5rem; }
.text ul, .text ol { padding-left: 1.4rem; list-style: revert; border: 0; }
.text li { padding: .15rem 0; border: 0; }
.text pre { overflow-x: auto; padding: .9rem 1.1rem; background: var(--surface); border: 1px solid var(--line); border-radius: .5rem; }
.wide code { font: .8438rem/1.5 var(--mono); }
.text :not(pre) > code { padding: .05rem .3rem; background: var(--surface); border: 1px solid var(--line); border-radius: .3rem; }
.scroll { overflow-x: auto; margin-bottom: 1rem; }
.text table { border-collapse: collapse; font-size: .9375rem; }
.text th, .text td { padding: .4rem .75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
.after { margin-top: .9rem; }
.search { display: flex; gap: .5rem; max-width: 34rem; margin: 0 0 1rem; }
.search input { margin: 0; }
.search button { flex: none; width: auto; }
.areas { line-height: 2; }
.areas a { margin-right: .6rem; }
.operations li { padding: 0; }
.operations a { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1rem .75rem; padding: .45rem .85rem; color: inherit; text-decoration: none; }
.operations a:hover { background: var(--surface); }
.operations a > span:last-child { color: var(--ink-3); font-size: .875rem; }
.method { display: inline-block; min-width: 4rem; font: 600 .75rem/1.4 var(--mono); color: var(--accent); }
.method.delete { color: var(--bad); }
.reference .fields { margin: 0 0 .5rem; padding-left: 0; list-style: none; }
.reference .fields .fields { margin: .25rem 0 .25rem .25rem; padding-left: 1rem; border-left: 1px solid var(--line); border-radius: 0; }
`;
