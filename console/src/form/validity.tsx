import { TextInput } from "../ui/form/controls.tsx";
/** Prevents the surrounding form from being submitted while a field is incomplete; the browser shows the message. */
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
