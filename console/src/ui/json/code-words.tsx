/** A sentence with `code` in it, as the server writes them. */
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
