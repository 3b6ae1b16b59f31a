import { TextInput } from "../ui/form/controls.tsx";
/** Keeps the form around it from being sent while something in it is half-written; the browser says what. */
export function Unfinished({ problem }: { readonly problem: string }) {
  return (
    <TextInput
      isBare
      className="hide"
      ref={(element) => element?.setCustomValidity(problem)}
      tabIndex={-1}
      aria-hidden="true"
      value=""
      onChange={() => {}}
    />
  );
}
