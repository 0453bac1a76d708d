const { sqlite } = await import('/tmp/w/open/dist/stores/sqlite/index.js')
const s=sqlite({path:process.argv[2]}); await s.open()
const b=await s.snapshots.read('search/static-en-256@7fbcfdf8','head'); const h=JSON.parse(Buffer.from(b[0]).toString()); for(const k in h.calibrations) h.calibrations[k].mean=h.calibrations[k].mean.length; console.log(h.format,h.calibrations,h.segments.length); await s.close()
