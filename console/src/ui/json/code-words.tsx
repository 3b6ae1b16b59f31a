/** Renders `code` in texts from the server. */
export function CodeWords({ text }: { readonly text: string }) {
  return text.split("`").map((part, n) =>
    n % 2 === 1 ? (
      <code key={n} className="mono">
        {part}
      </code>
    ) : (
      part
    ),
  );
}
