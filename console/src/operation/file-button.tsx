import { useRef } from "react";

/** A button that asks for one file. */
export function FileButton(props: {
  readonly label: string;
  readonly isMain?: boolean;
  readonly onChoose: (file: File) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button className={props.isMain ? "btn main" : "btn"} onClick={() => input.current?.click()}>
        {props.label}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label={props.label}
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // So that the same file can be chosen once more.
          target.value = "";
          if (file) props.onChoose(file);
        }}
      />
    </>
  );
}
