// Plain JavaScript, so that an older Node can parse it and report its version.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 24 || (major === 24 && minor < 12)) {
  process.stderr.write(
    `Millrace needs Node 24.12 or newer, and this is ${process.version} (${process.execPath}).\n` +
      "Start it with `npm start`, which finds the Node that `npm ci` installed under node_modules.\n",
  );
  process.exit(1);
}
const { runServer } = await import("./bundle.mjs");
await runServer();
