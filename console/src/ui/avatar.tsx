const HUES = 12;

/** The initials on a background whose colour depends only on the name. */
export function Avatar({ name, big }: { readonly name: string | undefined; readonly big?: true }) {
  const size = big ? " big" : "";
  if (!name) return <span className={`avatar none${size}`} role="img" aria-label="Unassigned" />;
  const words = name.trim().split(/\s+/);
  const initials = words.length > 1 ? `${words[0]?.[0]}${words.at(-1)?.[0]}` : (name[0] ?? "");
  const sum = Array.from(name, (letter) => letter.codePointAt(0) ?? 0).reduce((a, b) => a + b, 0);
  return (
    <span className={`avatar${size} hue-${sum % HUES}`} role="img" aria-label={name} title={name}>
      {initials.toUpperCase()}
    </span>
  );
}
