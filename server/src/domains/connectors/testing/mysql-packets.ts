/** The first packets of a MySQL server as bytes. */
export const packet = (sequence: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.from([payload.length, 0, 0, sequence]), payload]);

export const MYSQL_GREETING = packet(
  0,
  Buffer.concat([
    Buffer.from("\n8.4.0\0"),
    Buffer.from([1, 0, 0, 0]),
    Buffer.from("12345678\0"),
    // Protocol 4.1, transactions, databases, secure connections and plug-ins.
    Buffer.from([0x09, 0xa2, 45, 2, 0, 0x08, 0, 21]),
    Buffer.alloc(10),
    Buffer.from("123456789012\0mysql_native_password\0"),
  ]),
);

export const MYSQL_OK = packet(2, Buffer.from([0, 0, 0, 2, 0, 0, 0]));
