#!/usr/bin/env node
import { processIo } from './process-io.ts'
import { runCli } from './run-cli.ts'

// Everything is written and closed by then; nothing that still waits, such as an open stdin, should hold the shell up.
process.exit(await runCli(process.argv.slice(2), processIo()))
