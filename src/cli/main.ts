#!/usr/bin/env node
import module from 'node:module'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { processIo } from './process-io.ts'
import { runCli } from './run-cli.ts'

// From Node 22.8 on, compiled code is kept between runs in a folder that is the user's own; where it can't be, nothing is lost.
// `runCli` imports nearly everything when it is called, thus after this.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown }
enableCompileCache?.(join(homedir(), '.cache', 'mneme'))

// Everything is written and closed by then; nothing that still waits, such as an open stdin, should hold the shell up.
process.exit(await runCli(process.argv.slice(2), processIo()))
