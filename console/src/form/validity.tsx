/** Keeps the form around it from being sent while something in it is half-written; the browser says what. */
export function Unfinished({ problem }: { readonly problem: string }) {
  return (
    <input
      ref={(element) => element?.setCustomValidity(problem)}
      className="hide"
      tabIndex={-1}
      aria-hidden="true"
      value=""
      onChange={() => {}}
    />
  );
}
