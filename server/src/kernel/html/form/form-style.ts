/**
 * The form style of server-rendered pages: the console's fields in a size for phones. The page
 * supplies the tokens and `accent`. It uses no images, because some policies forbid them.
 */
export const FORM_STYLE = `
input, select, textarea {
  width: 100%;
  min-height: 2.375rem;
  padding: .4375rem .6875rem;
  font: inherit;
  font-weight: 400;
  color: var(--ink);
  background-color: var(--surface);
  border: 1px solid var(--edge);
  border-radius: .375rem;
}
:is(input, select, textarea):hover:not(:disabled) { border-color: color-mix(in oklab, var(--edge), var(--ink) 30%); }
:is(input, select, textarea):focus-visible { outline: 2px solid var(--accent); outline-offset: -1px; border-color: transparent; }
:is(input, select, textarea)[aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
::placeholder { color: var(--ink-3); opacity: 1; }
textarea { display: block; resize: vertical; }
select:not([multiple]) {
  appearance: none;
  padding-right: 2rem;
  text-overflow: ellipsis;
  background-image: linear-gradient(45deg, transparent 50%, var(--ink-3) 50%), linear-gradient(135deg, var(--ink-3) 50%, transparent 50%);
  background-position: right 1.075rem center, right .75rem center;
  background-size: .325rem .325rem;
  background-repeat: no-repeat;
}
input:is([type=checkbox], [type=radio]) {
  flex: none;
  width: 1.0625rem;
  height: 1.0625rem;
  min-height: 0;
  margin: 0;
  accent-color: var(--accent);
}
input[type=checkbox][aria-invalid=true] { outline: 2px solid var(--bad); outline-offset: 1px; box-shadow: none; }
input[type=file] { padding: .3125rem .375rem; }
::file-selector-button {
  margin: 0 .75rem 0 0;
  padding: .1875rem .625rem;
  font: inherit;
  font-size: .875rem;
  color: var(--ink);
  background: color-mix(in oklab, var(--ink) 6%, transparent);
  border: 0;
  border-radius: .25rem;
  cursor: pointer;
}
.field { min-width: 0; margin: 0 0 1.125rem; padding: 0; border: 0; }
.field > :is(label, legend) { display: block; margin: 0 0 .25rem; padding: 0; font-weight: 500; }
.field .optional { font-weight: 400; color: var(--ink-3); }
.field > .help, .field > .error { flex-basis: 100%; margin: .25rem 0 0; font-size: .8125rem; line-height: 1.45; }
.field > .help { color: var(--ink-3); }
.field > .error { font-weight: 500; color: var(--bad); }
fieldset.field > label { display: flex; align-items: center; gap: .5rem; margin: 0; padding: .25rem 0; font-weight: 400; }
.field.tick { display: flex; flex-wrap: wrap; align-items: center; gap: 0 .5rem; }
.field.tick > label { flex: 1; margin: 0; }
fieldset:not(.field) { margin: 0 0 1.125rem; padding: .875rem 1rem 0; border: 1px solid var(--edge); border-radius: .5rem; }
fieldset:not(.field) > legend { padding: 0 .375rem; font-weight: 500; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.5rem; }
.errors { margin: 0 0 1.25rem; }
.errors p { margin: 0; font-weight: 500; }
.errors ul { margin: .375rem 0 0; padding: 0 0 0 1.125rem; list-style: disc; border: 0; }
.errors li { padding: 0; border: 0; }
.errors a { color: inherit; }
.alarm { padding: .7rem .9rem; color: var(--bad); background: var(--bad-soft); border-radius: .5rem; }
`;
